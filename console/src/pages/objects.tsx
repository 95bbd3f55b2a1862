// Buckets and their objects: prefixes as folders, pictures to look at, uploads straight to the store by a signed address.

import { type DragEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type ObjectEntry, deleteObject, loadBuckets, loadObjects, presign } from '../api/operate';
import { Code } from '../components/code';
import { ActionButton, Button, Field, Select } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast, toastError } from '../components/feedback';
import { Icon } from '../components/icons';
import { Card, Facts, PageHead, Table } from '../components/layout';
import { Overlay } from '../components/overlay';
import { bytes, moment } from '../lib/format';
import { link, navigate, part, useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/operate.css';

interface Upload {
  name: string;
  share: number;
  error: string | null;
}

// XMLHttpRequest, because fetch does not tell how much has been sent.
function put(url: string, file: File, headers: Record<string, string>, progress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) if (name.toLowerCase() !== 'host') request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => (request.status < 300 ? resolve() : reject(new Error(`The store answered ${request.status}.`)));
    request.onerror = () => reject(new Error('The store did not take it: its address must be reachable from this browser.'));
    request.send(file);
  });
}

function Uploader({ bucket, prefix, done }: { bucket: string; prefix: string; done: () => void }) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const send = async (files: File[]) => {
    for (const file of files) {
      const set = (change: Partial<Upload>) => setUploads((now) => now.map((upload) => (upload.name === file.name ? { ...upload, ...change } : upload)));
      setUploads((now) => [...now.filter(({ name }) => name !== file.name), { name: file.name, share: 0, error: null }]);
      try {
        const type = file.type || 'application/octet-stream';
        const { url, headers } = await presign(bucket, prefix + file.name, 'PUT', 600, type);
        await put(url, file, headers ?? { 'content-type': type }, (share) => set({ share }));
        set({ share: 1 });
        done();
      } catch (error) {
        set({ error: (error as Error).message });
      }
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void send([...event.dataTransfer.files]);
  };
  return (
    <div
      className={`drop ${over ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input ref={input} type="file" multiple aria-label="Files to upload" className="sr" tabIndex={-1} onChange={(event) => void send([...(event.currentTarget.files ?? [])])} />
      <Button icon="upload" onClick={() => input.current?.click()}>
        Upload
      </Button>
      <span className="small quiet">or drop files here: they go to {prefix || 'the bucket itself'}</span>
      {uploads.length > 0 && (
        <ul className="uploads" aria-live="polite">
          {uploads.map(({ name, share, error }) => (
            <li key={name}>
              <span className="clip">{name}</span>
              {error ? <span className="small bad-text">{error}</span> : <progress value={share} max={1} aria-label={`Upload of ${name}`} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const kPictures = /\.(png|jpe?g|gif|webp|avif)$/i;
const isPicture = ({ key, type }: ObjectEntry) => (type ? /^image\/(png|jpeg|gif|webp|avif)$/.test(type) : kPictures.test(key));

function Preview({ bucket, entry, close, changed }: { bucket: string; entry: ObjectEntry; close: () => void; changed: () => void }) {
  const picture = isPicture(entry) && entry.size < 20_000_000;
  const source = useLoad(picture ? `preview ${bucket} ${entry.key} ${entry.etag}` : null, () => presign(bucket, entry.key, 'GET', 300));
  const [expires, setExpires] = useState('600');
  const [made, setMade] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const make = async () => {
    try {
      setMade((await presign(bucket, entry.key, 'GET', Number(expires))).url);
    } catch (error) {
      toastError(error);
    }
  };
  const remove = async () => {
    try {
      await deleteObject(bucket, entry.key);
      toast('Deleted');
      changed();
      close();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Overlay kind="drawer" title={<span className="clip grow">{entry.key.split('/').pop()}</span>} close={close}>
      {picture && <Loaded load={source}>{({ url }) => <img className="preview" src={url} alt={entry.key} />}</Loaded>}
      <Facts
        facts={[
          ['Key', <code>{entry.key}</code>],
          ['Size', bytes(entry.size)],
          ['Type', entry.type ?? 'not given'],
          ['Changed', moment(entry.modified)],
          ['ETag', <code>{entry.etag}</code>],
        ]}
      />
      <section className="stack tight">
        <h3>Make a link</h3>
        <div className="keys-bar">
          <Field label="Works for">
            <Select
              value={expires}
              change={setExpires}
              options={[
                { value: '600', title: '10 minutes' },
                { value: '3600', title: '1 hour' },
                { value: '86400', title: '1 day' },
                { value: '604800', title: '1 week' },
              ]}
            />
          </Field>
          <ActionButton icon="link" action={make}>
            Make link
          </ActionButton>
        </div>
        {made && <Code text={made} label="link" wrap />}
      </section>
      <div className="row end">
        {asking ? (
          <>
            <span>Delete it for good?</span>
            <Button onClick={() => setAsking(false)}>Keep</Button>
            <ActionButton kind="danger primary" action={remove}>
              Delete
            </ActionButton>
          </>
        ) : (
          <Button kind="danger" icon="trash" onClick={() => setAsking(true)}>
            Delete
          </Button>
        )}
      </div>
    </Overlay>
  );
}

type Row = { prefix: string } | { entry: ObjectEntry };

function Bucket({ bucket }: { bucket: string }) {
  const [query, change] = useQuery();
  const prefix = query.prefix ?? '';
  const page = useLoad(`objects ${bucket} ${prefix} ${query.after ?? ''}`, (signal) => loadObjects(bucket, prefix, query.after ?? null, signal));
  const steps = prefix.split('/').filter(Boolean);
  const open = page.data?.objects.find(({ key }) => key === query.key);
  return (
    <>
      <nav className="row" aria-label="Prefix">
        <Link href={`/objects/${part(bucket)}`}>{bucket}</Link>
        {steps.map((step, at) => (
          <span key={at} className="row">
            <span className="quiet">/</span>
            <Link href={link(`/objects/${part(bucket)}`, { prefix: `${steps.slice(0, at + 1).join('/')}/` })}>{step}</Link>
          </span>
        ))}
      </nav>
      <Uploader bucket={bucket} prefix={prefix} done={page.reload} />
      <Loaded load={page}>
        {({ prefixes, objects, next }) => {
          const rows: Row[] = [...prefixes.map((name) => ({ prefix: name })), ...objects.map((entry) => ({ entry }))];
          if (rows.length === 0) {
            return (
              <Empty icon="objects" title="Nothing here">
                <p>Upload a file, or use any S3 client with this server’s address.</p>
              </Empty>
            );
          }
          return (
            <Card flush>
              <Table
                label="Objects"
                rows={rows}
                rowKey={(row) => ('prefix' in row ? row.prefix : row.entry.key)}
                open={(row) => ('prefix' in row ? navigate(link(`/objects/${part(bucket)}`, { prefix: row.prefix })) : change({ key: row.entry.key }, true))}
                columns={[
                  {
                    title: 'Name',
                    cell: (row) => (
                      <button type="button" className="cell-button object-name">
                        <Icon name={'prefix' in row ? 'folder' : 'file'} />
                        {('prefix' in row ? row.prefix : row.entry.key).slice(prefix.length)}
                      </button>
                    ),
                  },
                  { title: 'Type', cell: (row) => <span className="quiet">{'prefix' in row ? 'prefix' : (row.entry.type ?? '')}</span> },
                  { title: 'Changed', cell: (row) => ('prefix' in row ? '' : <span className="nowrap">{moment(row.entry.modified)}</span>) },
                  { title: 'Size', number: true, cell: (row) => ('prefix' in row ? '' : bytes(row.entry.size)) },
                ]}
              />
              {next && (
                <div className="more">
                  <Button onClick={() => change({ after: next }, true)}>Next page</Button>
                </div>
              )}
            </Card>
          );
        }}
      </Loaded>
      {open && <Preview bucket={bucket} entry={open} close={() => change({ key: null })} changed={page.reload} />}
    </>
  );
}

export function Objects({ params }: { params: { bucket?: string } }) {
  const buckets = useLoad('buckets', loadBuckets);
  const name = params.bucket ? decodeURIComponent(params.bucket) : buckets.data?.[0]?.name;
  return (
    <>
      <PageHead title="Objects" about="Buckets of the S3 API. Uploads and links use signed addresses, as your own clients do.">
        {buckets.data && buckets.data.length > 0 && <Select aria-label="Bucket" value={name ?? ''} change={(next) => navigate(`/objects/${part(next)}`)} options={buckets.data.map((bucket) => bucket.name)} />}
      </PageHead>
      {buckets.error && !buckets.data ? (
        <ErrorNotice error={buckets.error} retry={buckets.reload} />
      ) : (
        <Loaded load={buckets}>
          {() =>
            name ? (
              <Bucket key={name} bucket={name} />
            ) : (
              <Empty icon="objects" title="No buckets yet">
                <p>
                  <code>aws s3 mb s3://my-bucket</code> makes one.
                </p>
              </Empty>
            )
          }
        </Loaded>
      )}
    </>
  );
}
