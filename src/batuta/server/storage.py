"""Where the bytes of files and large datasets lie: folders of `data_dir`, or a bucket. The only module that chooses.

uploaded_files(settings)    what people uploaded
dataset_files(settings)     datasets that are too large for a row
"""

from batuta.kernel.extras import load_extra
from batuta.server.config import Settings
from batuta.server.files.blobs import BlobStore, LocalBlobStore

FILES = "files"
DATASETS = "datasets"
FETCHED_FOLDER = "fetched"
"""Contents of a bucket that this machine reads at the moment."""


def uploaded_files(settings: Settings) -> BlobStore:
    """The store of uploaded files."""
    return _store(settings, FILES)


def dataset_files(settings: Settings) -> BlobStore:
    """The store of large datasets."""
    return _store(settings, DATASETS)


def _store(settings: Settings, name: str) -> BlobStore:
    if settings.files_bucket is None:
        return LocalBlobStore(settings.data_dir / name)
    s3_blobs = load_extra(
        "batuta.server.files.s3_blobs", extra="s3", needed_for="files in an S3-compatible store (BATUTA_FILES_BUCKET)"
    )
    secret = settings.files_secret_key
    bucket = s3_blobs.S3Bucket(
        name=settings.files_bucket,
        prefix=name,
        endpoint=settings.files_endpoint,
        region=settings.files_region,
        access_key=settings.files_access_key,
        secret_key=None if secret is None else secret.get_secret_value(),
    )
    store: BlobStore = s3_blobs.S3BlobStore(bucket, settings.data_dir / FETCHED_FOLDER / name)
    return store
