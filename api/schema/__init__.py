"""The description of the whole API, as OpenAPI 3.1 (`/api/schema`) and as a page for people (`/api/docs`).

What an operation takes and gives is written at its view. What holds for many is written here, once: names and parts
(`operations`), the errors that each can give (`error_responses`), how to authenticate (`security_schemes`), pagination
and streams (`autoschema`). What is data is in YAML files.
"""
