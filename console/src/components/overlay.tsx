// Dialogs and drawers on the browser's own <dialog>: focus stays inside, Escape closes, the page behind is inert.

import type { ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { Button } from './controls';

interface OverlayProps {
  title: ReactNode;
  close: () => void;
  children: ReactNode;
  foot?: ReactNode;
  kind?: 'modal' | 'modal wide' | 'drawer';
}

export function Overlay({ title, close, children, foot, kind = 'modal' }: OverlayProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={box}
      className={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === box.current) close();
      }}
    >
      <div className="dialog-head">
        <h2 id={id} className="row grow">
          {title}
        </h2>
        <Button kind="plain" icon="close" aria-label="Close" onClick={close} />
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </dialog>
  );
}
