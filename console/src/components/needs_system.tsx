// Pages of a system that this server may not serve.

import type { ReactNode } from 'react';
import { type Model, useModel } from '../api/models';
import { Empty } from './feedback';
import { PageHead } from './layout';

export function NeedsSystem({ name, title, children }: { name: string; title: string; children: (model: Model) => ReactNode }) {
  const model = useModel(name);
  if (model) return <>{children(model)}</>;
  return (
    <>
      <PageHead title={title} />
      <Empty icon="model" title={`This server does not serve ${name}`}>
        <p>
          Start it with <code>--systems {name}</code>, and <code>--demo</code> for examples.
        </p>
      </Empty>
    </>
  );
}
