from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('plugins', '0021_similarity_threshold_default'),
    ]

    operations = [
        # For new plugins alone: what an author chose, or left as it was, stays.
        migrations.AlterField(
            model_name='plugin',
            name='shares_golden',
            field=models.BooleanField(default=False, help_text='A copy holds its golden questions, so that its new owner can measure it too.', verbose_name='golden questions are shared'),
        ),
    ]
