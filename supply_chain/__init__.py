"""What Lexic consists of: a bill of materials, licences and known vulnerabilities. Programs for developers and CI."""
