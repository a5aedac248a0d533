/** A secret that is shown once. The visitor must confirm that it is stored; leaving earlier asks for confirmation. */
import { useEffect, useRef, useState } from 'react';
import { Button, CheckField, CopyButton } from '../../ui/index.ts';

export interface ShownSecret {
  readonly name: string;
  readonly value: string;
  /** The purpose of the secret, in one sentence. */
  readonly use: string;
}

export interface SecretBoxProps {
  readonly secrets: readonly ShownSecret[];
  readonly onStored: () => void;
  /** Label of the button that continues. */
  readonly next: string;
}

export function SecretBox({ secrets, onStored, next }: SecretBoxProps) {
  const [stored, setStored] = useState(false);
  useEffect(() => {
    if (stored) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [stored]);
  const box = useRef<HTMLDivElement>(null);
  // Wait, because a dialog that is about to close still keeps the focus.
  useEffect(() => {
    const timer = setTimeout(() => box.current?.focus(), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="stack" ref={box} tabIndex={-1} role="group" aria-label="Shown once">
      <dl className="once">
        {secrets.map(({ name, value, use }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{value}</dd>
            <dd>
              <CopyButton text={value} what={name} />
            </dd>
            <dd className="note">{use}</dd>
          </div>
        ))}
      </dl>
      <CheckField label={secrets.length === 1 ? 'I have stored it' : 'I have stored both'} checked={stored} onChange={setStored} />
      <div className="actions">
        <Button kind="primary" onClick={onStored} disabledReason={stored ? undefined : 'Store it first. This page cannot show it again.'}>
          {next}
        </Button>
      </div>
    </div>
  );
}
