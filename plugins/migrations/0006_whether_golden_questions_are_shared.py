from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('plugins', '0005_invitations'),
    ]

    operations = [
        migrations.AddField(
            model_name='plugin',
            name='shares_golden',
            field=models.BooleanField(default=True, help_text='A copy holds its golden questions, so that its new owner can measure it too.', verbose_name='golden questions are shared'),
        ),
    ]
