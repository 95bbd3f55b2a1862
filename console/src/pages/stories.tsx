// Stories with their nodes as a graph: choices lead from node to node.

import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Model } from '../api/models';
import { partitionItems, partitionsWith } from '../api/systems';
import { Empty, Loaded } from '../components/feedback';
import { Badge, Card, Facts, PageHead } from '../components/layout';
import { NeedsSystem } from '../components/needs_system';
import { type Item, type Plain, itemToPlain, valueOf } from '../lib/attribute';
import { moment, plural } from '../lib/format';
import { layers } from '../lib/graph';
import { link, part, useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

interface StoryHead {
  partition: string;
  userId: string;
  id: string;
  title: string;
  deleted: boolean;
  shared: boolean;
  updatedAt: string;
}
interface StoryNode {
  id: string;
  order: number;
  type: string;
  prompt: string;
  choices: { text: string; target: string }[];
  responses: Plain[];
}

async function loadStories(model: Model, signal: AbortSignal): Promise<StoryHead[]> {
  const [hash, sort] = model.table.key.map(({ name }) => name);
  const partitions = await partitionsWith(model.table.name, 'USER#', 1, signal);
  return partitions
    .flatMap(({ key, items }) => {
      const head = items.find(({ item }) => valueOf(item[sort!]) === 'METADATA')?.item;
      const partition = String(valueOf(key[hash!]));
      const userId = /^USER#(.*)#STORY#/.exec(partition)?.[1];
      if (!head || !userId) return [];
      return [{ partition, userId, id: String(valueOf(head.id)), title: String(valueOf(head.title)), deleted: valueOf(head.deleted) === true, shared: head.shareToken !== undefined, updatedAt: String(valueOf(head.UpdatedAt) ?? '') }];
    })
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

export function readNodes(items: readonly Item[], sort: string): StoryNode[] {
  return items
    .filter((item) => String(valueOf(item[sort])).startsWith('NODE#'))
    .map((item) => {
      const plain = itemToPlain(item) as { id: string; nodeOrder: number; type?: string; prompt?: string; choices?: { text: string; target: string }[]; responses?: Plain[] };
      return { id: plain.id, order: plain.nodeOrder, type: plain.type ?? 'node', prompt: plain.prompt ?? '', choices: Array.isArray(plain.choices) ? plain.choices : [], responses: Array.isArray(plain.responses) ? plain.responses : [] };
    })
    .sort((a, b) => a.order - b.order);
}

// Words in lines of about so many characters, at most `most` lines.
export function lines(text: string, width: number, most: number): string[] {
  const result: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const last = result.at(-1)!;
    if (last && last.length + word.length + 1 > width) result.push(word);
    else result[result.length - 1] = last ? `${last} ${word}` : word;
  }
  return result.length > most ? [...result.slice(0, most - 1), `${result[most - 1]!.slice(0, width - 1)}…`] : result;
}

const kNode = { width: 216, height: 84, across: 300, down: 116 };

function Graph({ nodes, current, choose }: { nodes: StoryNode[]; current: string | undefined; choose: (id: string) => void }) {
  const { placed, edges } = useMemo(() => {
    const choices = nodes.flatMap((node) => node.choices.map(({ text, target }) => ({ from: node.id, to: target, text })));
    // A node nobody leads to and that has no choices follows the one before it.
    const order = nodes.slice(1).flatMap((node, at) => {
      const before = nodes[at]!;
      return before.choices.length === 0 && !choices.some(({ to }) => to === node.id) ? [{ from: before.id, to: node.id, text: '' }] : [];
    });
    const all = [...choices, ...order].filter(({ to }) => nodes.some(({ id }) => id === to));
    return { placed: layers(nodes.map(({ id }) => id), all), edges: all };
  }, [nodes]);
  const least = Math.min(...placed.map(({ row }) => row));
  const places = new Map(placed.map(({ id, column, row }) => [id, { x: 8 + column * kNode.across, y: 8 + (row - least) * kNode.down }]));
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + kNode.width + 8;
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + kNode.height + 8;
  return (
    <div className="scroll" role="region" aria-label="Story graph" tabIndex={0}>
      <svg className="story-graph" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`${nodes.length} nodes and ${edges.length} ways between them`}>
        <defs>
          <marker id="story-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8Z" fill="var(--ink-3)" />
          </marker>
        </defs>
        {edges.map(({ from, to, text }, at) => {
          const [a, b] = [places.get(from)!, places.get(to)!];
          const back = b.x <= a.x;
          const [x1, y1] = [a.x + kNode.width, a.y + kNode.height / 2];
          const [x2, y2] = back ? [b.x + kNode.width / 2, b.y + kNode.height] : [b.x, b.y + kNode.height / 2];
          const bend = 42;
          return (
            <g key={at}>
              <path className={text ? 'way' : 'way order'} d={`M${x1} ${y1}C${x1 + bend} ${y1} ${back ? x2 : x2 - bend} ${back ? y2 + bend : y2} ${x2} ${y2}`} markerEnd="url(#story-arrow)" />
              {text && (
                <text className="way-text" x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 6} textAnchor="middle">
                  {lines(text, 15, 1)[0]}
                </text>
              )}
            </g>
          );
        })}
        {nodes.map((node, at) => {
          const { x, y } = places.get(node.id)!;
          return (
            <g key={node.id} className={`story-node ${node.id === current ? 'current' : ''}`} role="button" tabIndex={0} aria-pressed={node.id === current} onClick={() => choose(node.id)} onKeyDown={(event) => (event.key === 'Enter' || event.key === ' ') && (event.preventDefault(), choose(node.id))}>
              <rect x={x} y={y} width={kNode.width} height={kNode.height} rx="10" />
              <text className="story-number" x={x + 12} y={y + 19}>
                {at + 1} · {node.type}
              </text>
              {lines(node.prompt, 30, 3).map((line, row) => (
                <text key={row} x={x + 12} y={y + 38 + row * 16}>
                  {line}
                </text>
              ))}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function StoryView({ model, story }: { model: Model; story: StoryHead }) {
  const [query, change] = useQuery();
  const [hash, sort] = model.table.key.map(({ name }) => name);
  const load = useLoad(`story ${story.partition} ${story.updatedAt}`, (signal) => partitionItems(model.table.name, hash!, story.partition, signal));
  const nodes = useMemo(() => (load.data ? readNodes(load.data.items, sort!) : []), [load.data, sort]);
  const node = nodes.find(({ id }) => id === query.node);
  return (
    <div className="stack">
      <Card
        title={
          <span className="row">
            {story.title}
            {story.deleted && <Badge kind="bad">in the trash</Badge>}
            {story.shared && <Badge kind="accent">shared</Badge>}
          </span>
        }
        actions={
          <Link className="button small" href={link(`/collections/${part(model.table.name)}`, { prefix: story.partition })}>
            Items
          </Link>
        }
      >
        <p className="small quiet">
          {plural(nodes.length, 'node')} by {story.userId}, changed {moment(story.updatedAt)}
        </p>
        <Loaded load={load}>{() => (nodes.length === 0 ? <Empty icon="story" title="No nodes yet" /> : <Graph nodes={nodes} current={node?.id} choose={(id) => change({ node: id })} />)}</Loaded>
      </Card>
      {node && (
        <Card title={`Node ${nodes.indexOf(node) + 1}`}>
          <p className="prose">{node.prompt}</p>
          <Facts
            facts={[
              ['Choices', node.choices.length === 0 ? 'none' : node.choices.map(({ text, target }) => `${text} → node ${nodes.findIndex(({ id }) => id === target) + 1 || 'missing'}`).join('; ')],
              ['Responses', node.responses.length === 0 ? 'none' : node.responses.map((response) => (typeof response === 'string' ? response : JSON.stringify(response))).join('; ')],
              ['Id', node.id],
            ]}
          />
        </Card>
      )}
    </div>
  );
}

function StoryList({ model }: { model: Model }) {
  const [query] = useQuery();
  const stories = useLoad('stories', (signal) => loadStories(model, signal));
  const story = stories.data?.find(({ partition }) => partition === query.story) ?? stories.data?.find(({ deleted }) => !deleted) ?? stories.data?.[0];
  return (
    <>
      <PageHead title="Stories" about="Branching stories of every author. An arrow with words is a choice; a dashed one only the order." />
      <Loaded load={stories}>
        {(list) =>
          !story ? (
            <Empty icon="story" title="No stories yet" />
          ) : (
            <div className="split">
              <nav className="pattern-list" aria-label="Stories">
                <ul>
                  {list.map((entry) => (
                    <li key={entry.partition}>
                      <Link href={link('/systems/stories', { story: entry.partition })} aria-current={entry === story ? 'page' : undefined}>
                        <span className="grow clip">{entry.title}</span>
                        <span className="small quiet">{entry.deleted ? 'trash' : entry.userId}</span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </nav>
              <StoryView key={story.partition} model={model} story={story} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

export function Stories() {
  return (
    <NeedsSystem name="stories" title="Stories">
      {(model) => <StoryList model={model} />}
    </NeedsSystem>
  );
}
