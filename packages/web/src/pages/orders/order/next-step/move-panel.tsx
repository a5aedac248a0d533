/** The viewer's actions, blocked actions with reasons, and the next automatic step. */
import { useState } from 'react';
import { sitePaths } from '../../../../site-paths.ts';
import { ApiCalls, Button, Clock, Panel, parseTime, useNow } from '../../../../ui/index.ts';
import { QuoteForm } from '../brief/quote-form.tsx';
import { clockStart, isAllowed, isWorkspace, isYourMove, type OrderView } from '../order-view.ts';
import { useSentenceParts } from '../sentence-parts.ts';
import { ActDialog } from './act-dialog.tsx';
import { ActError } from './act-error.tsx';
import { apiCallsOf } from './api-calls.ts';
import { closedActs, contestWords, moveWords, silenceWords } from './move-words.ts';
import { actNames, actOperations, isPlainAct, type PlainAct, wordsOfAct } from './order-acts.ts';
import { useOrderAct } from './use-order-act.ts';

export interface MovePanelProps {
  readonly view: OrderView;
  /** The action whose confirmation is open; the bar on phones opens it, too. */
  readonly asked: PlainAct | undefined;
  readonly onAsk: (act: PlainAct | undefined) => void;
}

export function MovePanel({ view, asked, onAsk }: MovePanelProps) {
  const format = useSentenceParts();
  const { title, text } = moveWords(view, format);
  const calls = apiCallsOf(view);
  return (
    <Panel title={title} kind={isYourMove(view) ? 'move' : 'plain'}>
      <div className="stack">
        {text === undefined ? null : <p className="note">{text}</p>}
        <ContestNote view={view} />
        <MoveClock view={view} />
        <Quote view={view} />
        <Acts view={view} onAsk={onAsk} />
        <NotNow view={view} />
        {calls.length === 0 ? null : <ApiCalls calls={calls} />}
      </div>
      {asked === undefined ? null : (
        <ActDialog key={asked} act={asked} words={wordsOfAct(asked, view, format)} view={view} onClose={() => onAsk(undefined)} />
      )}
    </Panel>
  );
}

function ContestNote({ view }: { readonly view: OrderView }) {
  const words = contestWords(view, useSentenceParts(), useNow());
  return words === undefined ? null : <p className="note">{words}</p>;
}

/** A named price can be replaced until it is paid; the form is collapsed then. */
function Quote({ view }: { readonly view: OrderView }) {
  if (!isAllowed(view, 'quote')) return null;
  if (view.order.status === 'pending_quote') return <QuoteForm view={view} />;
  return (
    <details>
      <summary>Replace the price</summary>
      <QuoteForm view={view} />
    </details>
  );
}

function MoveClock({ view }: { readonly view: OrderView }) {
  const format = useSentenceParts();
  const now = useNow();
  const { clock, dispute, order } = view;
  if (clock !== null)
    return (
      <Clock
        from={clockStart(view)}
        until={clock.at}
        promised={clock.action === 'expire' || clock.action === 'mark_overdue' ? order.due_at : null}
      >
        {silenceWords(view, format)}
      </Clock>
    );
  if (order.status !== 'disputed' || dispute === null) return null;
  if (now < parseTime(dispute.evidence_until).getTime())
    return (
      <Clock from={dispute.opened_at} until={dispute.evidence_until}>
        Both sides may state their case until {format.time(dispute.evidence_until)}. The ruling is due by {format.time(dispute.ruling_due)}.
      </Clock>
    );
  return (
    <Clock from={dispute.evidence_until} until={dispute.ruling_due} over="The ruling is late">
      The statements are in. The ruling is due by {format.time(dispute.ruling_due)}.
    </Clock>
  );
}

/** Sorted so that the likely action comes first. */
const order: readonly PlainAct[] = [
  'approve',
  'start',
  'accept',
  'revision',
  'dispute',
  'withdraw_dispute',
  'allow_revision',
  'cancel',
  'decline',
  'refund',
];
const primary: ReadonlySet<PlainAct> = new Set(['approve', 'start']);
/** Actions with short labels, shown side by side. */
const beside: ReadonlySet<PlainAct> = new Set(['revision', 'dispute']);

function Acts({ view, onAsk }: Pick<MovePanelProps, 'view' | 'onAsk'>) {
  const format = useSentenceParts();
  const step = useOrderAct();
  const [under, setUnder] = useState<PlainAct>();
  const run = (act: PlainAct) => {
    const words = wordsOfAct(act, view, format);
    if (words.confirm !== undefined) return onAsk(act);
    setUnder(act);
    void step.take(actOperations[act], { id: view.order.id }, words.done);
  };
  const acts = order.filter((act) => isAllowed(view, act));
  const buttons = (wanted: readonly PlainAct[]) =>
    wanted.map((act) => (
      <Button
        key={act}
        wide
        kind={primary.has(act) ? 'primary' : 'plain'}
        {...(primary.has(act) && { size: 'tall' as const })}
        busy={step.busy && under === act ? 'One moment' : undefined}
        onClick={() => run(act)}
      >
        {wordsOfAct(act, view, format).button}
      </Button>
    ));
  const pair = acts.filter((act) => beside.has(act));
  return (
    <div className="order-actions">
      {buttons(acts.filter((act) => primary.has(act)))}
      <Elsewhere view={view} />
      {pair.length === 0 ? null : <div className="order-half">{buttons(pair)}</div>}
      {buttons(acts.filter((act) => !primary.has(act) && !beside.has(act)))}
      <ActError error={step.error} />
    </div>
  );
}

/** Links to actions that have their own place on this page or another. */
function Elsewhere({ view }: { readonly view: OrderView }) {
  const { id, status } = view.order;
  return (
    <>
      {isAllowed(view, 'deliver') && status !== 'delivered' ? (
        <Button href="#deliver" kind={status === 'paid' ? 'plain' : 'primary'} wide {...(status !== 'paid' && { size: 'tall' as const })}>
          Deliver the work
        </Button>
      ) : null}
      {isWorkspace(view) && status === 'in_progress' ? (
        <Button href={sitePaths.workspace(id)} kind={isYourMove(view) ? 'primary' : 'ink'} wide size="tall">
          {isAllowed(view, 'answer_request') ? 'Answer in the workspace' : 'Open the workspace'}
        </Button>
      ) : null}
      {view.viewer_role === 'admin' && status === 'disputed' ? (
        <Button href={sitePaths.ruling(id)} kind="primary" wide size="tall">
          Rule this dispute
        </Button>
      ) : null}
      {view.dispute !== null && view.viewer_role !== 'admin' ? (
        <Button href={sitePaths.dispute(id)} kind={view.dispute.state === 'open' ? 'ink' : 'plain'} wide>
          {view.dispute.state === 'open' ? 'State your case' : 'Read the dispute'}
        </Button>
      ) : null}
    </>
  );
}

function NotNow({ view }: { readonly view: OrderView }) {
  const closed = [...view.unavailable_actions, ...closedActs(view)];
  if (closed.length === 0) return null;
  return (
    <ul className="why" aria-label="Not possible now">
      {closed.map(({ action, reason }) => (
        <li key={action}>
          <span>{actNames[action]}</span>
          <span>{reason}</span>
        </li>
      ))}
    </ul>
  );
}

/** The one action that waits for the viewer, for the bar on phones. */
export function primaryAct(view: OrderView): PlainAct | undefined {
  return view.allowed_actions.find((action): action is PlainAct => isPlainAct(action) && primary.has(action));
}
