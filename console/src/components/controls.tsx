// Buttons, fields and other things to press and fill in.

import type { ButtonHTMLAttributes, InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react';
import { useState } from 'react';
import { Icon } from './icons';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: 'primary' | 'plain' | 'danger' | 'danger primary' | '';
  icon?: string;
  size?: 'small' | '';
};

export function Button({ kind = '', icon, size = '', children, className = '', ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`button ${kind} ${size} ${children === undefined ? 'icon' : ''} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

// A button that works until its promise ends; it cannot be pressed twice meanwhile.
export function ActionButton({ action, children, ...rest }: ButtonProps & { action: () => Promise<unknown> }) {
  const [busy, setBusy] = useState(false);
  const run = () => {
    if (busy) return;
    setBusy(true);
    void action().finally(() => setBusy(false));
  };
  return (
    <Button {...rest} aria-disabled={busy} aria-busy={busy} onClick={run}>
      {children}
    </Button>
  );
}

export function Field({ label, hint, optional = false, children }: { label: string; hint?: string; optional?: boolean; children: ReactNode }) {
  return (
    <label className="field">
      <span>
        {label} {optional && <em>optional</em>}
      </span>
      {children}
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
}

type TextProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & { value: string; change: (value: string) => void; mono?: boolean };

export function Text({ value, change, mono = false, ...rest }: TextProps) {
  return <input type="text" autoComplete="off" spellCheck={false} {...rest} className={mono ? 'mono' : ''} value={value} onInput={(event) => change(event.currentTarget.value)} />;
}

type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> & {
  value: string;
  change: (value: string) => void;
  options: readonly (string | { value: string; title: string })[];
};

export function Select({ value, change, options, ...rest }: SelectProps) {
  return (
    <select {...rest} value={value} onChange={(event) => change(event.currentTarget.value)}>
      {options.map((option) => {
        const { value: id, title } = typeof option === 'string' ? { value: option, title: option } : option;
        return (
          <option key={id} value={id}>
            {title}
          </option>
        );
      })}
    </select>
  );
}

export function Segmented<T extends string>({ value, change, options, label }: { value: T; change: (value: T) => void; options: readonly { value: T; title: string }[]; label: string }) {
  return (
    <div className="segmented" role="group" aria-label={label} tabIndex={-1}>
      {options.map((option) => (
        <button key={option.value} type="button" aria-pressed={option.value === value} onClick={() => change(option.value)}>
          {option.title}
        </button>
      ))}
    </div>
  );
}

export function Switch({ on, change, label }: { on: boolean; change: (on: boolean) => void; label: string }) {
  return (
    <label className="switch">
      <input type="checkbox" role="switch" checked={on} onChange={(event) => change(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
