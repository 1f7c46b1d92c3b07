from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('plugins', '0007_planner_and_public_only'),
    ]

    operations = [
        migrations.AddField(
            model_name='plugin',
            name='is_held',
            field=models.BooleanField(default=False, editable=False, help_text='Those who run the site took it off the air; it is published again only once they lift that.'),
        ),
    ]
