// One table: what it is made of, and the same as a definition to take elsewhere.

import { useState } from 'react';
import { Link } from 'wouter';
import { type TableDescription, describeTable, dynamodb, indexesOf, keyNames } from '../api/dynamodb';
import { useModelOfTable } from '../api/models';
import { Code } from '../components/code';
import { Button, Segmented } from '../components/controls';
import { EntityBadge } from '../components/entity';
import { Loaded } from '../components/feedback';
import { Badge, Card, Facts, PageHead, Stats, Table } from '../components/layout';
import { DeleteTable, TableForm } from '../components/table_form';
import { bytes, count, moment } from '../lib/format';
import { link, navigate, part } from '../lib/location';
import { type SchemaForm, kSchemaForms, tableSchema } from '../lib/table_schema';
import { draftOf } from '../lib/table_draft';
import { useLoad } from '../lib/use_load';

interface Ttl {
  TimeToLiveDescription?: { TimeToLiveStatus?: string; AttributeName?: string };
}

function Schema({ table, ttl }: { table: TableDescription; ttl: string | null }) {
  const [form, setForm] = useState<SchemaForm>('createtable');
  return (
    <Card title="Schema" actions={<Segmented label="Form" value={form} change={setForm} options={kSchemaForms} />}>
      <Code text={tableSchema(form, table, ttl)} label={`schema as ${form}`} />
    </Card>
  );
}

export function TableDetail({ params }: { params: { table: string } }) {
  const name = decodeURIComponent(params.table);
  const table = useLoad(`table ${name}`, (signal) => describeTable(name, signal));
  const ttl = useLoad(`ttl ${name}`, (signal) => dynamodb<Ttl>('DescribeTimeToLive', { TableName: name }, signal));
  const model = useModelOfTable(name);
  const [open, setOpen] = useState<'change' | 'delete' | null>(null);
  const ttlName = ttl.data?.TimeToLiveDescription?.AttributeName ?? null;
  return (
    <>
      <PageHead title={name} about={model ? `The table of ${model.title}` : 'A table without a model'}>
        <Link className="button" href={`/items/${part(name)}`}>
          Items
        </Link>
        <Link className="button" href={`/collections/${part(name)}`}>
          Collections
        </Link>
        {model && (
          <Link className="button" href={`/model/${part(model.name)}`}>
            Model
          </Link>
        )}
        <Button icon="edit" disabled={!table.data || !ttl.data} onClick={() => setOpen('change')}>
          Change
        </Button>
        <Button icon="trash" kind="danger" disabled={!table.data} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </PageHead>
      {model && open === 'change' && <div className="notice warn">This table belongs to the model {model.title}: what the model names comes back when it is applied.</div>}
      <Loaded load={table}>
        {(description) => (
          <>
            <Stats
              figures={[
                { title: 'Items', value: count(description.ItemCount) },
                { title: 'Size', value: bytes(description.TableSizeBytes) },
                { title: 'Indexes', value: indexesOf(description).length },
                { title: 'Mean item', value: description.ItemCount > 0 ? bytes(Math.round(description.TableSizeBytes / description.ItemCount)) : '–' },
              ]}
            />
            <div className="grid-2">
              <Card title="Table">
                <Facts
                  facts={[
                    ['Status', <Badge kind={description.TableStatus === 'ACTIVE' ? 'good' : 'warn'}>{description.TableStatus.toLowerCase()}</Badge>],
                    ['Partition key', <code>{keyNames(description.KeySchema)[0]}</code>],
                    ['Sort key', <code>{keyNames(description.KeySchema)[1] ?? 'none'}</code>],
                    ['Time to live', ttlName ? <code>{ttlName}</code> : 'off'],
                    ['Stream', description.StreamSpecification?.StreamEnabled ? <Link href={`/stream/${part(name)}`}>{(description.StreamSpecification.StreamViewType ?? 'on').replaceAll('_', ' ').toLowerCase()}</Link> : 'off'],
                    ['Billing', description.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'by request' : 'provisioned'],
                    ['Deletion protection', description.DeletionProtectionEnabled ? 'on' : 'off'],
                    ['Created', moment(description.CreationDateTime * 1000)],
                    ['ARN', <code>{description.TableArn}</code>],
                  ]}
                />
                {model && (
                  <div className="row">
                    {model.entities.map((entity) => (
                      <Link key={entity.name} href={link(`/collections/${part(name)}`, { only: entity.name })}>
                        <EntityBadge model={model} name={entity.name} />
                      </Link>
                    ))}
                  </div>
                )}
              </Card>
              <Schema table={description} ttl={ttlName} />
            </div>
            <Card title="Indexes" flush>
              {indexesOf(description).length === 0 ? (
                <p className="quiet small pad-4">No index. “Change” adds one.</p>
              ) : (
                <Table
                  label="Indexes"
                  rows={indexesOf(description)}
                  rowKey={(index) => index.IndexName}
                  columns={[
                    { title: 'Name', cell: (index) => <Link href={link(`/collections/${part(name)}`, { index: index.IndexName })}>{index.IndexName}</Link> },
                    { title: 'Key', cell: (index) => <code>{keyNames(index.KeySchema).join(', ')}</code> },
                    { title: 'Holds', cell: (index) => (index.Projection.ProjectionType === 'ALL' ? 'whole items' : index.Projection.ProjectionType === 'KEYS_ONLY' ? 'keys' : `keys, ${index.Projection.NonKeyAttributes?.join(', ')}`) },
                    { title: 'Status', cell: (index) => <Badge kind={index.IndexStatus === 'ACTIVE' || !index.IndexStatus ? 'good' : 'warn'}>{(index.IndexStatus ?? 'active').toLowerCase()}</Badge> },
                    { title: 'Items', number: true, cell: (index) => count(index.ItemCount) },
                    { title: 'Size', number: true, cell: (index) => bytes(index.IndexSizeBytes) },
                  ]}
                />
              )}
            </Card>
            {open === 'change' && (
              <TableForm
                before={draftOf(description, ttlName)}
                close={() => setOpen(null)}
                done={() => {
                  table.reload();
                  ttl.reload();
                }}
              />
            )}
            {open === 'delete' && (
              <DeleteTable
                table={name}
                isProtected={description.DeletionProtectionEnabled === true}
                items={description.ItemCount}
                close={() => setOpen(null)}
                done={() => navigate('/tables')}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
