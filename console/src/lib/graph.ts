// Places nodes of a directed graph in columns from left to right: a node stands right of those that lead to it. Within a
// column nodes are ordered by where their neighbours are. Small and steady rather than perfect.

export interface Edge {
  from: string;
  to: string;
}
export interface Placed {
  id: string;
  column: number;
  row: number;
}

// Columns by the longest way from a start; edges that lead back are left out of it.
function columnsOf(ids: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const next = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of edges) if (next.has(from) && next.has(to) && from !== to) next.get(from)!.push(to);
  const state = new Map<string, 'open' | 'done'>();
  const order: string[] = [];
  const forward: Edge[] = [];
  const visit = (start: string) => {
    const stack: { id: string; at: number }[] = [{ id: start, at: 0 }];
    state.set(start, 'open');
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const to = next.get(top.id)![top.at++];
      if (to === undefined) {
        state.set(top.id, 'done');
        order.push(top.id);
        stack.pop();
      } else if (state.get(to) !== 'open') {
        forward.push({ from: top.id, to });
        if (!state.has(to)) {
          state.set(to, 'open');
          stack.push({ id: to, at: 0 });
        }
      }
    }
  };
  for (const id of ids) if (!state.has(id)) visit(id);
  const columns = new Map<string, number>(ids.map((id) => [id, 0]));
  for (const id of order.reverse()) {
    for (const edge of forward) if (edge.from === id) columns.set(edge.to, Math.max(columns.get(edge.to)!, columns.get(id)! + 1));
  }
  return columns;
}

export function layers(ids: readonly string[], edges: readonly Edge[], rounds = 4): Placed[] {
  const columns = columnsOf(ids, edges);
  const lists: string[][] = [];
  for (const id of ids) (lists[columns.get(id)!] ??= []).push(id);
  const rows = new Map<string, number>();
  const number = (list: string[]) => list.forEach((id, row) => rows.set(id, row - (list.length - 1) / 2));
  lists.forEach(number);
  for (let round = 0; round < rounds; round++) {
    for (const list of lists) {
      const weight = new Map(
        list.map((id) => {
          const near = edges.flatMap(({ from, to }) => (from === id ? [rows.get(to)] : to === id ? [rows.get(from)] : [])).filter((row) => row !== undefined);
          return [id, near.length > 0 ? near.reduce((sum, row) => sum + row, 0) / near.length : rows.get(id)!];
        }),
      );
      list.sort((a, b) => weight.get(a)! - weight.get(b)!);
      number(list);
    }
  }
  return lists.flatMap((list, column) => list.map((id) => ({ id, column, row: rows.get(id)! })));
}
