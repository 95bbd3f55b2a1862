// The partitions that are called most, while it happens.

import { Link } from 'wouter';
import { loadHotKeys } from '../api/operate';
import { isRemote, useSession } from '../api/session';
import { type HotPartition, hotPartitions, kReadsOfAPartition, kWritesOfAPartition, percentOf, perSecond } from '../lib/hot_keys';
import { count } from '../lib/format';
import { link, part } from '../lib/location';
import { type Load, useLoad } from '../lib/use_load';
import { Empty, Loaded } from './feedback';
import { Card, Table } from './layout';

export interface HotKeysNow {
  seconds: number;
  partitions: HotPartition[];
}

// Those of one table, or of all. A remote store does not tell: nothing is asked.
export function useHotKeys(table: string | null, limit: number): Load<HotKeysNow> {
  const { session } = useSession();
  return useLoad(isRemote(session) ? null : `hot keys ${table ?? ''}`, async (signal) => {
    const answer = await loadHotKeys(table, limit, signal);
    return { seconds: answer.seconds, partitions: hotPartitions(answer) };
  }, 5000);
}

const collectionLink = ({ table, index, text }: HotPartition) => link(`/collections/${part(table)}`, { index, prefix: text, health: '1' });
const placeOf = ({ table, index }: HotPartition) => (index ? `${table} · ${index}` : table);

// For the page of metrics: all tables.
export function HotKeysCard() {
  const { session } = useSession();
  const hot = useHotKeys(null, 12);
  if (isRemote(session)) return null;
  return (
    <Card title="Partitions called most" flush>
      <Loaded load={hot} lines={4}>
        {({ partitions, seconds }) =>
          partitions.length === 0 ? (
            <Empty title="No partition was read or written in the last minute" />
          ) : (
            <>
              <Table
                label="Partitions called most"
                rows={partitions}
                rowKey={(each) => `${each.table} ${each.index} ${each.id}`}
                columns={[
                  { title: 'Partition', className: 'wrap', cell: (each) => <Link href={collectionLink(each)}>{each.text}</Link> },
                  { title: 'Table · index', cell: placeOf },
                  { title: 'Reads a second', number: true, cell: ({ reads }) => perSecond(reads) },
                  { title: 'Writes a second', number: true, cell: ({ writes }) => perSecond(writes) },
                  { title: 'Of all calls', number: true, cell: ({ share }) => percentOf(share) },
                  { title: 'On AWS', cell: ({ level }) => ({ good: <span className="quiet">within a partition</span>, warn: <span className="badge warn">half of a partition</span>, bad: <span className="badge bad">more than a partition takes</span> })[level] },
                ]}
              />
              <p className="small quiet foot">
                In the last {Math.round(seconds)} seconds. On AWS one partition takes {count(kReadsOfAPartition)} read and {count(kWritesOfAPartition)} write units a second.
              </p>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

// Beside the collections of a table: those of what is shown.
export function HotKeysList({ hot, choose }: { hot: HotKeysNow; choose: (text: string) => void }) {
  const shown = hot.partitions.slice(0, 5);
  const largest = Math.max(...shown.map(({ reads, writes }) => reads + writes));
  return (
    <section className="stack tight" aria-label="Called most">
      <h3 className="small">Called most</h3>
      {shown.length === 0 ? (
        <p className="small quiet">None was called in the last minute.</p>
      ) : (
        <ol className="hot-keys">
          {shown.map(({ id, text, reads, writes, share, level }) => (
            <li key={id}>
              <button type="button" className="mono small clip" title={`${perSecond(reads)} reads and ${perSecond(writes)} writes a second`} onClick={() => choose(text)}>
                {text}
              </button>
              <span className="num small quiet nowrap">
                {perSecond(reads + writes)}/s · {percentOf(share)}
              </span>
              <span className="bar" aria-hidden="true">
                <i style={{ width: `${Math.max(2, ((reads + writes) / largest) * 100)}%`, background: `var(--${level === 'good' ? 'accent' : level})` }} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
