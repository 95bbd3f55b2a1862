// A form from the parameters of an access pattern.

import type { Param, Pattern } from '../api/models';
import { Field, Select, Text } from './controls';

export type Values = Record<string, string>;

function hintOf({ type }: Param): string | undefined {
  if (type === 'epoch_ms') return 'milliseconds since 1970';
  if (type === 'epoch_s') return 'seconds since 1970';
  if (type === 'timestamp') return 'such as 2025-03-01T12:00:00Z';
  return undefined;
}

export function PatternForm({ pattern, values, change }: { pattern: Pattern; values: Values; change: (name: string, value: string) => void }) {
  if (pattern.params.length === 0) return <p className="small quiet">It takes no parameters.</p>;
  return (
    <div className="params">
      {pattern.params.map((param) => (
        <Field key={param.name} label={param.name} optional={!param.required} hint={hintOf(param)}>
          {param.name === 'order' ? (
            <Select value={values.order ?? ''} change={(value) => change('order', value)} options={[{ value: '', title: 'as the pattern says' }, 'asc', 'desc']} />
          ) : param.enum ? (
            <Select value={values[param.name] ?? ''} change={(value) => change(param.name, value)} options={[{ value: '', title: 'choose' }, ...param.enum.map((value) => ({ value, title: value }))]} />
          ) : param.type === 'boolean' ? (
            <Select value={values[param.name] ?? ''} change={(value) => change(param.name, value)} options={[{ value: '', title: 'choose' }, 'true', 'false']} />
          ) : (
            <Text mono required={param.required} value={values[param.name] ?? ''} change={(value) => change(param.name, value)} />
          )}
        </Field>
      ))}
    </div>
  );
}

// Only what was filled in is sent.
export const filledIn = (values: Values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

export const isComplete = (pattern: Pattern, values: Values) => pattern.params.every(({ name, required }) => !required || Boolean(values[name]));
