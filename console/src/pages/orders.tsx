// Orders of the gallery by state.

import type { Model } from '../api/models';
import { type List, read } from '../api/systems';
import { Button, Segmented } from '../components/controls';
import { Empty, Loaded } from '../components/feedback';
import { Badge, Card, PageHead, Stats, Table } from '../components/layout';
import { NeedsSystem } from '../components/needs_system';
import { count, moment, plural } from '../lib/format';
import { navigate, part, useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

interface Order {
  orderId: string;
  userId: string;
  item: string;
  amount: string;
  currency: string;
  status: string;
  paymentProvider: string;
  createdAt: string;
  completedAt?: string;
}

const kStates = ['initiated', 'completed', 'cancelled', 'failed'] as const;
const kKinds: Record<string, 'good' | 'warn' | 'bad' | ''> = { initiated: 'warn', completed: 'good', failed: 'bad' };

// Money is text with two decimals; cents keep it exact.
export function totals(orders: readonly Order[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of orders) sums.set(currency, (sums.get(currency) ?? 0) + Math.round(Number(amount) * 100));
  return [...sums].map(([currency, cents]) => `${(cents / 100).toFixed(2)} ${currency}`).join(', ') || '0';
}

function OrderList({ model }: { model: Model }) {
  const [query, change] = useQuery();
  const status = kStates.find((state) => state === query.status) ?? 'initiated';
  const orders = useLoad(`orders ${status}`, (signal) => read<List<Order>>(model, `/admin/orders?status=${status}&limit=100`, signal), 15_000);
  return (
    <>
      <PageHead title="Orders" about="Plans and seconds that people of the gallery buy. A payment of another amount than the catalogue’s fails its order.">
        <Segmented label="State" value={status} change={(value) => change({ status: value })} options={kStates.map((value) => ({ value, title: value }))} />
        <Button icon="refresh" onClick={orders.reload}>
          Refresh
        </Button>
      </PageHead>
      <Loaded load={orders}>
        {({ items, cursor }) => (
          <>
            <Stats
              figures={[
                { title: status, value: `${count(items.length)}${cursor ? '+' : ''}` },
                { title: 'Worth', value: totals(items) },
              ]}
            />
            <Card flush title={plural(items.length, 'order')}>
              {items.length === 0 ? (
                <Empty icon="cart" title={`No order is ${status}`}>
                  <p>
                    Orders begin with <code>POST {model.path}/orders</code>.
                  </p>
                </Empty>
              ) : (
                <Table
                  label="Orders"
                  rows={items}
                  rowKey={({ orderId }) => orderId}
                  open={({ userId }) => navigate(`/systems/users?id=${part(userId)}`)}
                  columns={[
                    { title: 'Order', cell: ({ orderId }) => <code>{orderId}</code> },
                    { title: 'Item', cell: ({ item }) => item },
                    { title: 'Who', cell: ({ userId }) => <button type="button" className="cell-button mono">{userId}</button> },
                    { title: 'State', cell: (order) => <Badge kind={kKinds[order.status] ?? ''}>{order.status}</Badge> },
                    { title: 'Provider', cell: ({ paymentProvider }) => paymentProvider },
                    { title: 'Begun', cell: ({ createdAt }) => <span className="nowrap">{moment(createdAt)}</span> },
                    { title: 'Amount', number: true, cell: ({ amount, currency }) => `${amount} ${currency}` },
                  ]}
                />
              )}
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}

export function Orders() {
  return (
    <NeedsSystem name="gallery" title="Orders">
      {(model) => <OrderList model={model} />}
    </NeedsSystem>
  );
}
