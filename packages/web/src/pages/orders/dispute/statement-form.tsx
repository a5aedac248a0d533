import { useState } from 'react';
import { Button, Panel, TextArea } from '../../../ui/index.ts';
import { FileList } from '../order/delivery/file-list.tsx';
import { useUploads } from '../order/delivery/use-uploads.ts';
import { ActError } from '../order/next-step/act-error.tsx';
import { useOrderAct } from '../order/next-step/use-order-act.ts';
import { readLinks } from './read-links.ts';

const MOST_EVIDENCE = 10;

/** One side's statement. The form warns that it cannot be changed later. */
export function StatementForm({ orderId }: { readonly orderId: string }) {
  const step = useOrderAct();
  const uploads = useUploads();
  const [text, setText] = useState('');
  const [links, setLinks] = useState('');
  const { urls, wrong } = readLinks(links);
  const evidence = [...uploads.files.flatMap(({ uploaded }) => (uploaded === undefined ? [] : [uploaded.url])), ...urls];
  const disabledReason = reasonAgainst(text, uploads.busy, evidence.length, wrong);
  const send = async () => {
    if (
      !(await step.take('disputes.state', { id: orderId, statement: text.trim(), evidence_urls: evidence }, 'Your statement is on record.'))
    )
      return;
    setText('');
    setLinks('');
    uploads.clear();
  };
  return (
    <Panel title="State your case">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (disabledReason === undefined && !step.busy) void send();
        }}
      >
        <TextArea
          label="Your side of it"
          hint="The other side and the operator read it. It cannot be changed afterwards."
          value={text}
          onChange={setText}
          maxLength={4000}
          rows={5}
        />
        <FileList label="Evidence, files" uploads={uploads} />
        <TextArea label="Evidence, links" hint="One on each line." value={links} onChange={setLinks} rows={2} optional error={wrong} />
        <ActError error={step.error} />
        <div className="actions">
          <Button kind="ink" type="submit" busy={step.busy ? 'Sending' : undefined} disabledReason={disabledReason}>
            Put it on record
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function reasonAgainst(text: string, busy: boolean, count: number, wrong: string | undefined): string | undefined {
  if (text.trim() === '') return 'Write your statement first.';
  if (busy) return 'Files are still being sent.';
  if (wrong !== undefined) return 'One of the links cannot be used.';
  return count > MOST_EVIDENCE ? `At most ${MOST_EVIDENCE} pieces of evidence in one statement.` : undefined;
}
