"""The supply chain of Lexic: bill of materials, licences and known vulnerabilities. Programs for developers and CI."""
