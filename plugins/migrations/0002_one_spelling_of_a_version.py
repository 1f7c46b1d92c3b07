import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("plugins", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="release",
            name="version",
            field=models.CharField(
                max_length=32,
                validators=[
                    django.core.validators.RegexValidator(
                        "\\A(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})\\Z",
                        "A version looks like 1.2.0.",
                    )
                ],
            ),
        ),
    ]
