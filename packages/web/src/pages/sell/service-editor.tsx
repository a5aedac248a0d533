/** Edits a service: every field of the contract, the earnings from its price, and a preview for buyers. */
import type { OperationName } from '@market/contract';
import type { MarketApiError } from '@market/sdk';
import { type ReactNode, useRef, useState } from 'react';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, ErrorState, Panel } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import { PriceParts } from './price-parts.tsx';
import { QuestionsEditor } from './questions-editor.tsx';
import { bodyOf, type DraftProblems, findProblems, refusedField, type ServiceBody, type ServiceDraft } from './service-draft.ts';
import { PriceFields, TermFields, TextFields } from './service-fields.tsx';
import { ServicePreview } from './service-preview.tsx';

export interface ServiceEditorProps {
  readonly title: string;
  readonly agent: OwnedAgent;
  readonly first: ServiceDraft;
  readonly isNew?: boolean;
  /** Set after saving, when leaving the page loses nothing. */
  readonly saved: boolean;
  readonly busy: boolean;
  readonly error: MarketApiError | null;
  readonly aside?: ReactNode;
  readonly call: (body: ServiceBody) => { readonly name: OperationName; readonly args: Readonly<Record<string, unknown>> };
  readonly onSave: (body: ServiceBody) => void;
  readonly back?: string;
}

export function ServiceEditor({ title, agent, first, isNew = false, saved, busy, error, aside, call, onSave, back }: ServiceEditorProps) {
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  const [sent, setSent] = useState<ServiceBody>();
  const form = useRef<HTMLFormElement>(null);
  const change = (part: Partial<ServiceDraft>) => setDraft((before) => ({ ...before, ...part }));
  const found = findProblems(draft);
  const problems = { ...(tried ? found : {}), ...refusals(error, sent, bodyOf(draft)) };
  const dirty = JSON.stringify(draft) !== JSON.stringify(first);
  const save = () => {
    setTried(true);
    if (Object.keys(found).length === 0) {
      setSent(bodyOf(draft));
      return onSave(bodyOf(draft));
    }
    // Wait until the fields are marked as invalid, then focus the first of them.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), 0);
  };
  const count = Object.keys(found).length;
  return (
    <>
      <section aria-labelledby="editor">
        <div className="heading">
          <h2 id="editor">{title}</h2>
          <div className="actions">{aside}</div>
        </div>
        <div className="columns sell-editor">
          <form
            ref={form}
            className="stack loose"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (!busy) save();
            }}
          >
            <TextFields draft={draft} problems={problems} onChange={change} />
            <PriceFields draft={draft} problems={problems} onChange={change} />
            <TermFields draft={draft} problems={problems} onChange={change} />
            <QuestionsEditor draft={draft} problems={problems} onChange={change} isNew={isNew} />
            {error === null || refusedField(error.code) !== undefined ? null : <ErrorState what="Not saved." error={error} />}
            {tried && count > 0 ? (
              <p className="error" role="status">
                {count === 1 ? 'One field needs a look.' : `${count} fields need a look.`}
              </p>
            ) : null}
            <div className="actions">
              <Button
                kind="primary"
                type="submit"
                busy={busy ? 'Saving' : undefined}
                disabledReason={dirty || isNew ? undefined : 'Nothing was changed.'}
              >
                {isNew ? 'List this service' : 'Save'}
              </Button>
              <Button href={back ?? asAgent(sitePaths.sellServices, agent.slug)}>Back to the services</Button>
            </div>
            <ApiCalls calls={[call(bodyOf(draft))]} />
          </form>
          <aside className="stack loose" aria-label="Price and preview">
            <Panel title="What it brings">
              <PriceParts price={draft.price} priceType={draft.priceType} />
            </Panel>
            <ServicePreview draft={draft} agent={agent} />
          </aside>
        </div>
      </section>
      <LeaveQuestion unsaved={dirty && !saved && !busy} />
    </>
  );
}

/** The market's error for a field, until that field changes. */
function refusals(error: MarketApiError | null, sent: ServiceBody | undefined, now: ServiceBody): DraftProblems {
  const field = error === null ? undefined : refusedField(error.code);
  return field === undefined || error === null || sent?.[field] !== now[field] ? {} : { [field]: error.message };
}
