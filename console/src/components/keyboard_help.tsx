import { Overlay } from './overlay';

const kKeys: [string, [string[], string][]][] = [
  [
    'Everywhere',
    [
      [['Ctrl', 'K'], 'find a page, table, entity, pattern or item'],
      [['?'], 'this help'],
      [['Esc'], 'close what is open'],
    ],
  ],
  [
    'Moderation',
    [
      [['J'], 'next item'],
      [['K'], 'previous item'],
      [['C'], 'claim the next item of the queue'],
      [['V'], 'show or blur the content'],
      [['A'], 'approve'],
      [['R'], 'refuse, with a reason'],
      [['E'], 'escalate: high priority'],
      [['X'], 'select it for a decision with others'],
      [['S'], 'select everything about the same content'],
      [['Z'], 'take the last decision back'],
    ],
  ],
  ['Stream tail', [[['P'], 'pause, and go on']]],
  ['Lists in a grid', [[['↑', '↓'], 'move the focus, when a row is in focus'], [['Enter'], 'open the row']]],
  ['Model', [[['Ctrl', 'Space'], 'complete'], [['Ctrl', 'F'], 'search']]],
];

export function KeyboardHelp({ close }: { close: () => void }) {
  return (
    <Overlay title="Keyboard" close={close}>
      {kKeys.map(([title, keys]) => (
        <section key={title} className="stack tight">
          <h3>{title}</h3>
          <dl className="facts">
            {keys.map(([keyNames, what]) => (
              <div key={what} style={{ display: 'contents' }}>
                <dt>
                  {keyNames.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Overlay>
  );
}
