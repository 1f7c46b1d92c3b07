"""What people who used the plugin say of it."""
