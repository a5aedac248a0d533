import './hash.css';
import { useState } from 'react';
import { useAnnounce } from '../feedback/announcer.tsx';
import { shorten } from '../words/format.ts';

/** An address, id or transaction in short form, with a button that copies all of it. `href` links to the chain's explorer. */
export function Hash({
  value,
  href,
  what = 'address',
}: {
  readonly value: string;
  readonly href?: string | null | undefined;
  readonly what?: string;
}) {
  const short = shorten(value);
  return (
    <span className="hash">
      {href == null ? (
        <span className="mono" title={value}>
          {short}
        </span>
      ) : (
        <a className="mono" href={href} title={value} rel="noreferrer noopener" target="_blank">
          {short}
        </a>
      )}
      <CopyButton text={value} what={what} />
    </span>
  );
}

/** Copies the text and announces it. If the browser has no clipboard, announces that instead. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const announce = useAnnounce();
  const [outcome, setOutcome] = useState<'Copied' | 'Copy by hand'>();
  const copy = async () => {
    const result = await navigator.clipboard?.writeText(text).then(
      () => 'Copied' as const,
      () => undefined,
    );
    setOutcome(result ?? 'Copy by hand');
    announce(result === undefined ? `Select the ${what} and copy it by hand.` : `Copied the ${what}.`);
    setTimeout(() => setOutcome(undefined), 2000);
  };
  return (
    <button className="copy" type="button" onClick={() => void copy()}>
      {outcome ?? 'Copy'}
      <span className="visually-hidden"> {what}</span>
    </button>
  );
}
