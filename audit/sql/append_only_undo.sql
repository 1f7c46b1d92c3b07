DROP TRIGGER audit_name_refuse ON audit_auditname;
DROP TRIGGER audit_refuse_truncate ON audit_auditentry;
DROP TRIGGER audit_refuse ON audit_auditentry;
DROP TRIGGER audit_chain ON audit_auditentry;
DROP TRIGGER audit_await_checks ON audit_auditentry;
DROP TRIGGER audit_begin ON audit_auditentry;
DROP FUNCTION audit_name_refuse, audit_refuse, audit_chain, audit_await_checks, audit_begin, audit_entry_text;
