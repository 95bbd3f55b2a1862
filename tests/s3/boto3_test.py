"""Objects with boto3: put, get, list, copy, multipart, presigned URLs."""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")

import boto3  # noqa: E402
from boto3.s3.transfer import TransferConfig  # noqa: E402
from botocore.config import Config  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

DATA = tempfile.TemporaryDirectory(prefix="gateleg-s3-boto3-")
KEYS = pathlib.Path(DATA.name) / "keys.ini"
KEYS.write_text("[app]\naws_access_key_id = AKIABOTO\naws_secret_access_key = a-secret-for-boto3-tests\n")
KEYS.chmod(0o600)
SERVER = Server(os.path.join(DATA.name, "data"), ["--credentials", str(KEYS)], s3=True)
PART = 5 << 20


def client(server=None, verify=None, **options):
    return boto3.client(
        "s3", endpoint_url=(server or SERVER).s3_url, verify=verify, region_name="us-east-1", aws_access_key_id="AKIABOTO",
        aws_secret_access_key=options.pop("secret", "a-secret-for-boto3-tests"),
        config=Config(retries={"max_attempts": 0}, connect_timeout=5, read_timeout=60, signature_version="s3v4",
                      s3={"addressing_style": "path", **options}))


def expect(code, action, **request):
    try:
        action(**request)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return error.response
    raise AssertionError(f"{code} expected")


def test_objects():
    """put_object, get_object, head_object, list_objects_v2, copy_object, delete_objects"""
    s3 = client()
    s3.create_bucket(Bucket="boto")
    put = s3.put_object(Bucket="boto", Key="a/ü +.txt", Body=b"hello", ContentType="text/plain", Metadata={"k": "v"})
    assert put["ETag"] == '"5d41402abc4b2a76b9719d911017c592"'
    got = s3.get_object(Bucket="boto", Key="a/ü +.txt")
    assert got["Body"].read() == b"hello" and got["Metadata"] == {"k": "v"}
    assert s3.head_object(Bucket="boto", Key="a/ü +.txt")["ContentLength"] == 5
    s3.copy_object(Bucket="boto", Key="b", CopySource={"Bucket": "boto", "Key": "a/ü +.txt"})
    for number in range(5):
        s3.put_object(Bucket="boto", Key=f"n/{number}", Body=io.BytesIO(b"x" * number))
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="boto", PaginationConfig={"PageSize": 2})
    keys = [item["Key"] for page in pages for item in page["Contents"]]
    assert keys == ["a/ü +.txt", "b", "n/0", "n/1", "n/2", "n/3", "n/4"], keys
    listed = s3.list_objects(Bucket="boto", Delimiter="/")
    assert [item["Prefix"] for item in listed["CommonPrefixes"]] == ["a/", "n/"]
    s3.delete_objects(Bucket="boto", Delete={"Objects": [{"Key": key} for key in keys]})
    assert s3.list_objects_v2(Bucket="boto")["KeyCount"] == 0
    expect("NoSuchKey", s3.get_object, Bucket="boto", Key="b")
    expect("NoSuchBucket", s3.list_objects_v2, Bucket="not-there")
    s3.delete_bucket(Bucket="boto")


def test_transfer():
    """upload_fileobj in parts and download_fileobj in ranges"""
    s3 = client()
    s3.create_bucket(Bucket="transfer")
    body = os.urandom(2 * PART + 12345)
    config = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=4)
    s3.upload_fileobj(io.BytesIO(body), "transfer", "big", Config=config)
    assert s3.head_object(Bucket="transfer", Key="big")["ETag"].endswith('-3"')
    back = io.BytesIO()
    s3.download_fileobj("transfer", "big", back, Config=config)
    assert back.getvalue() == body
    assert s3.get_object(Bucket="transfer", Key="big", Range="bytes=5-14")["Body"].read() == body[5:15]


def test_signed_payload():
    """a body whose hash is signed, and one that is not"""
    for signing in (True, False):
        s3 = client(payload_signing_enabled=signing)
        if signing:
            s3.create_bucket(Bucket="payload")
        s3.put_object(Bucket="payload", Key="k", Body=b"hello")
        assert s3.get_object(Bucket="payload", Key="k")["Body"].read() == b"hello"


def test_wrong_secret():
    """a wrong secret is refused"""
    expect("SignatureDoesNotMatch", client(secret="wrong").list_buckets)


def test_presigned():
    """generate_presigned_url for PUT and GET, and an altered one"""
    s3 = client()
    s3.create_bucket(Bucket="signed")
    where = {"Bucket": "signed", "Key": "a b/c.txt"}
    put = s3.generate_presigned_url("put_object", Params=where, ExpiresIn=600)
    with urllib.request.urlopen(urllib.request.Request(put, data=b"by url", method="PUT", headers={"Content-Type": ""}), timeout=60) as reply:
        assert reply.status == 200
    get = s3.generate_presigned_url("get_object", Params=where, ExpiresIn=600)
    with urllib.request.urlopen(get, timeout=60) as reply:
        assert reply.read() == b"by url"
    try:
        urllib.request.urlopen(get.replace("c.txt", "d.txt"), timeout=60)
    except urllib.error.HTTPError as error:
        assert error.code == 403 and b"SignatureDoesNotMatch" in error.read()
    else:
        raise AssertionError("403 expected")


def test_presigned_by_default():
    """generate_presigned_url as boto3 does it unless told otherwise: Signature Version 2"""
    plain = boto3.client("s3", endpoint_url=SERVER.s3_url, region_name="us-east-1", aws_access_key_id="AKIABOTO",
                         aws_secret_access_key="a-secret-for-boto3-tests")
    client().create_bucket(Bucket="older-urls")
    client().put_object(Bucket="older-urls", Key="old/ü +.txt", Body=b"hello", ContentType="text/plain")
    url = plain.generate_presigned_url(
        "get_object", {"Bucket": "older-urls", "Key": "old/ü +.txt", "ResponseContentType": "text/x-other"}, ExpiresIn=60)
    assert "AWSAccessKeyId=AKIABOTO" in url, url
    with urllib.request.urlopen(url, timeout=30) as reply:
        assert reply.read() == b"hello" and reply.headers["content-type"] == "text/x-other"
    put = plain.generate_presigned_url("put_object", {"Bucket": "older-urls", "Key": "old/up", "ContentType": "text/plain"}, ExpiresIn=60)
    request = urllib.request.Request(put, data=b"up", method="PUT", headers={"Content-Type": "text/plain"})
    assert urllib.request.urlopen(request, timeout=30).status == 200
    assert client().get_object(Bucket="older-urls", Key="old/up")["ContentType"] == "text/plain"
    bent = {
        "other key": url.replace("old/", "older/"), "other type": url.replace("x-other", "html"), "another method": put,
        "longer": url.replace("Expires=", "Expires=9"), "expired": plain.generate_presigned_url("get_object", {"Bucket": "older-urls", "Key": "b"}, ExpiresIn=-1),
    }
    for what, bad in bent.items():
        try:
            urllib.request.urlopen(bad, timeout=30)
        except urllib.error.HTTPError as error:
            assert error.code == 403, (what, error.code)
        else:
            raise AssertionError(f"{what}: accepted")


def test_tls():
    """large bodies both ways under TLS"""
    certificate, key = os.path.join(DATA.name, "tls.crt"), os.path.join(DATA.name, "tls.key")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout", key,
         "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
        check=True, capture_output=True, timeout=60)
    server = Server(args=["--credentials", str(KEYS), "--tls-cert", certificate, "--tls-key", key], s3=True)
    s3 = client(server, verify=certificate)
    s3.create_bucket(Bucket="tls")
    body = os.urandom(3_000_000)
    s3.put_object(Bucket="tls", Key="k", Body=body)
    assert s3.get_object(Bucket="tls", Key="k")["Body"].read() == body
    assert s3.get_object(Bucket="tls", Key="k", Range="bytes=1000-2000000")["Body"].read() == body[1000:2000001]
    assert server.stop() == 0


def test_survives():
    """objects and uploads are there after kill -9"""
    global SERVER
    s3 = client()
    s3.create_bucket(Bucket="kept")
    s3.put_object(Bucket="kept", Key="k", Body=b"kept")
    upload = s3.create_multipart_upload(Bucket="kept", Key="parts")["UploadId"]
    name = {"Bucket": "kept", "Key": "parts", "UploadId": upload}
    etag = s3.upload_part(**name, PartNumber=1, Body=b"part")["ETag"]
    SERVER.kill()
    SERVER = Server(os.path.join(DATA.name, "data"), ["--credentials", str(KEYS)], s3=True)
    s3 = client()
    assert s3.get_object(Bucket="kept", Key="k")["Body"].read() == b"kept"
    s3.complete_multipart_upload(**name, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})
    assert s3.get_object(Bucket="kept", Key="parts")["Body"].read() == b"part"
    assert SERVER.stop() == 0


if __name__ == "__main__":
    run_module(__name__)
