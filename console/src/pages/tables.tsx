// Every table with its key, indexes and size. Counts are kept by the store, never counted.

import { useState } from 'react';
import { Link } from 'wouter';
import { indexesOf, keyNames, listTables } from '../api/dynamodb';
import { useModels } from '../api/models';
import { Button } from '../components/controls';
import { Empty, Loaded } from '../components/feedback';
import { Badge, Card, PageHead, Table } from '../components/layout';
import { TableForm } from '../components/table_form';
import { bytes, count, plural } from '../lib/format';
import { navigate, part } from '../lib/location';
import { useLoad } from '../lib/use_load';

export function Tables() {
  const tables = useLoad('tables', listTables);
  const models = useModels();
  const [making, setMaking] = useState(false);
  return (
    <>
      <PageHead title="Tables" about="Keys, indexes and sizes. Open a table for its schema as CreateTable, CloudFormation or Terraform.">
        <Button icon="refresh" onClick={tables.reload}>
          Refresh
        </Button>
        <Button icon="plus" kind="primary" onClick={() => setMaking(true)}>
          New table
        </Button>
      </PageHead>
      <Card flush>
        <Loaded load={tables}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="table" title="No tables yet">
                <p>Make one above, or with any AWS SDK. A model makes its own table when it is served.</p>
              </Empty>
            ) : (
              <Table
                label="Tables"
                rows={list}
                rowKey={(table) => table.TableName}
                open={(table) => navigate(`/tables/${part(table.TableName)}`)}
                columns={[
                  { title: 'Name', cell: (table) => <Link href={`/tables/${part(table.TableName)}`}>{table.TableName}</Link> },
                  { title: 'Status', cell: (table) => <Badge kind={table.TableStatus === 'ACTIVE' ? 'good' : 'warn'}>{table.TableStatus.toLowerCase()}</Badge> },
                  { title: 'Key', cell: (table) => <code>{keyNames(table.KeySchema).join(', ')}</code> },
                  { title: 'Indexes', cell: (table) => plural(indexesOf(table).length, 'index', 'indexes') },
                  { title: 'Stream', cell: (table) => (table.StreamSpecification?.StreamEnabled ? <Link href={`/stream/${part(table.TableName)}`} aria-label={`Stream of ${table.TableName}`}>on</Link> : <span className="quiet">off</span>) },
                  { title: 'Model', cell: (table) => models.find((model) => model.table.name === table.TableName)?.title ?? '–' },
                  { title: 'Items', number: true, cell: (table) => count(table.ItemCount) },
                  { title: 'Size', number: true, cell: (table) => bytes(table.TableSizeBytes) },
                  {
                    title: '',
                    cell: (table) => (
                      <span className="row end" onClick={(event) => event.stopPropagation()}>
                        <Link className="button small" href={`/items/${part(table.TableName)}`} aria-label={`Items of ${table.TableName}`}>
                          Items
                        </Link>
                        <Link className="button small" href={`/collections/${part(table.TableName)}`} aria-label={`Collections of ${table.TableName}`}>
                          Collections
                        </Link>
                      </span>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {making && <TableForm before={null} close={() => setMaking(false)} done={tables.reload} />}
    </>
  );
}
