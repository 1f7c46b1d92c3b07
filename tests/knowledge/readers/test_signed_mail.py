"""Signed e-mails are read like others, encrypted ones are refused."""

from __future__ import annotations

import datetime as dt
import subprocess
from email.message import EmailMessage
from functools import cache
from shutil import which

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs7

from knowledge.readers.mail.message import attachments, parse_message
from knowledge.readers.mail.signed_message import signed_content
from knowledge.readers.types import DamagedDocument, EncryptedDocument
from tests.knowledge.readers.made import read_here, read_text
from tests.knowledge.readers.test_mail import stored

HEADERS = b"From: Ruth <ruth@example.org>\r\nSubject: Cover of the raft\r\n"


def inner() -> bytes:
    message = EmailMessage()
    message.set_content("The cover is 45 mm.")
    message.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    return message.as_bytes()


@cache
def identity() -> tuple[rsa.RSAPrivateKey, x509.Certificate]:
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Ruth")])
    day = dt.datetime(2026, 1, 1)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(day).not_valid_after(day + dt.timedelta(days=900))
    return key, made.sign(key, hashes.SHA256())


def signed(*options: pkcs7.PKCS7Options, encoding: Encoding = Encoding.SMIME) -> bytes:
    key, certificate = identity()
    builder = pkcs7.PKCS7SignatureBuilder().set_data(inner()).add_signer(certificate, key, hashes.SHA256())
    return builder.sign(encoding, options)


def encrypted() -> bytes:
    builder = pkcs7.PKCS7EnvelopeBuilder().set_data(inner()).add_recipient(identity()[1])
    return builder.encrypt(Encoding.SMIME, [])


@pytest.mark.parametrize("options", [[pkcs7.PKCS7Options.DetachedSignature], []], ids=["apart", "around"])
def test_what_was_signed_is_read_with_its_attachments(tmp_path, options):
    path = stored(tmp_path / "a.eml", HEADERS + signed(*options))
    header, [page] = read_here(path, "eml")
    assert header.title == "Cover of the raft"
    assert page.text.split("\n\n") == [
        "From: Ruth <ruth@example.org>\nSubject: Cover of the raft",
        "The cover is 45 mm.",
        "Attachment: mix.txt",
    ]
    assert list(attachments(parse_message(path))) == [("mix.txt", b"Slump is 75 mm.")]


def test_a_message_that_was_signed_twice_is_read(tmp_path):
    key, certificate = identity()
    builder = pkcs7.PKCS7SignatureBuilder().set_data(signed()).add_signer(certificate, key, hashes.SHA256())
    twice = builder.sign(Encoding.SMIME, [pkcs7.PKCS7Options.Binary])
    assert "The cover is 45 mm." in read_text(stored(tmp_path / "a.eml", HEADERS + twice), "eml")


@pytest.mark.skipif(which("openssl") is None, reason="there is no openssl")
@pytest.mark.parametrize("way", [["smime"], ["cms", "-stream"]])
def test_what_openssl_signs_is_read(tmp_path, way):
    key, certificate = identity()
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + certificate.public_bytes(Encoding.PEM)
    )
    command = ["openssl", way[0], "-sign", "-nodetach", *way[1:], "-signer", str(tmp_path / "key.pem")]
    made = subprocess.run(command, input=inner(), capture_output=True, check=True).stdout
    assert "The cover is 45 mm." in read_text(stored(tmp_path / "a.eml", HEADERS + made), "eml")


@pytest.mark.parametrize(
    "content",
    [encrypted, lambda: b"Content-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n"],
    ids=["S/MIME", "PGP"],
)
def test_an_encrypted_message_is_refused_by_a_sentence(tmp_path, content):
    with pytest.raises(EncryptedDocument) as refused:
        read_here(stored(tmp_path / "a.eml", HEADERS + content()), "eml")
    assert str(refused.value) == "The e-mail is encrypted."
    assert "mail program" in refused.value.hint


def test_a_structure_that_is_cut_off_is_damaged():
    structure = signed(encoding=Encoding.DER)
    for length in range(120):
        with pytest.raises(DamagedDocument):
            signed_content(structure[:length])
    assert b"45 mm" in signed_content(structure)


@pytest.mark.parametrize("piece", [b"\x24\x80", b"\x04\x00", b"\x30\x80"])
def test_a_structure_without_end_costs_little(piece):
    signed_data = bytes.fromhex("3080060b2a864886f70d010702a080") + piece * 200_000
    with pytest.raises(DamagedDocument):
        signed_content(signed_data)
