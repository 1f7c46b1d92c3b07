-- The database keeps the audit log: entries are numbered and chained when their transaction commits, and never change.

-- What a hash covers. `audit.chain` computes the same in Python.
CREATE FUNCTION audit_entry_text(entry audit_auditentry, entry_number bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat_ws(E'\n', entry_number, entry.id,
        to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        entry.action, entry.actor, entry.via, entry.object, entry.subject, entry.request_id,
        entry.details::text, entry.names::text)
$$;

-- Nobody brings a number or a hash along.
CREATE FUNCTION audit_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.number := NULL;
    NEW.hash := '';
    RETURN NEW;
END $$;

-- Commits in two steps. The checks of foreign keys that wait for the end of the transaction may wait for somebody
-- else's rows; an entry that takes the lock before them could stop both. So the first step, which runs among those
-- checks, takes no lock and has the second one run after all of them.
CREATE FUNCTION audit_await_checks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE audit_auditentry SET hash = '-' WHERE id = NEW.id AND hash = '';
    RETURN NULL;
END $$;

-- The second step: whoever holds this lock has nothing left to wait for but the commit itself.
CREATE FUNCTION audit_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_number bigint;
    last_hash text;
    entry audit_auditentry;
BEGIN
    PERFORM pg_advisory_xact_lock(7203, 1);
    SELECT * INTO entry FROM audit_auditentry WHERE id = NEW.id;
    IF entry.hash <> '-' THEN
        RETURN NULL;
    END IF;
    SELECT number, hash INTO last_number, last_hash
        FROM audit_auditentry WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1;
    last_number := coalesce(last_number, 0) + 1;
    UPDATE audit_auditentry SET number = last_number, hash = encode(sha256(convert_to(
        coalesce(last_hash, '') || E'\n' || audit_entry_text(entry, last_number), 'UTF8')), 'hex')
        WHERE id = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND length(OLD.hash) < 64
        AND audit_entry_text(OLD, 0) = audit_entry_text(NEW, 0) THEN
        RETURN NEW;  -- the two steps above
    END IF;
    -- What is old may go once an entry, which stays, says up to where it went and what its last hash was.
    IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' AND EXISTS (
        SELECT FROM audit_auditentry WHERE action = 'audit.pruned' AND (details->>'through')::bigint >= OLD.number
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The audit log is only added to.' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION audit_name_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Names in the audit log are erased, never changed.' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_begin BEFORE INSERT ON audit_auditentry FOR EACH ROW EXECUTE FUNCTION audit_begin();
CREATE CONSTRAINT TRIGGER audit_await_checks AFTER INSERT ON audit_auditentry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_await_checks();
CREATE CONSTRAINT TRIGGER audit_chain AFTER UPDATE ON audit_auditentry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.hash = '-') EXECUTE FUNCTION audit_chain();
CREATE TRIGGER audit_refuse BEFORE UPDATE OR DELETE ON audit_auditentry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_refuse_truncate BEFORE TRUNCATE ON audit_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_name_refuse BEFORE UPDATE ON audit_auditname
    FOR EACH ROW EXECUTE FUNCTION audit_name_refuse();
