"""The pages of what people have for themselves: projects, documents and conversations."""
