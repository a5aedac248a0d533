/** All requests with their results, newest first, as a contact sheet. */
import { useState } from 'react';
import { type Answer, useAnswer } from '../../../data/answers.ts';
import { Button, Empty, Loaded, Panel, Time } from '../../../ui/index.ts';
import { DeliverForm } from '../order/delivery/deliver-form.tsx';
import { DeliverableItem } from '../order/delivery/deliverable-item.tsx';
import { isAllowed, type OrderView } from '../order/order-view.ts';

type WorkspaceRequest = Answer<'workspaces.listRequests'>['data'][number];

export interface RequestListProps {
  readonly view: OrderView;
  /** Copies the words of a request back into the box. */
  readonly onAgain: (prompt: string) => void;
}

export function RequestList({ view, onAgain }: RequestListProps) {
  const first = useAnswer('workspaces.listRequests', { id: view.order.id });
  return (
    <section aria-labelledby="history">
      <div className="heading">
        <h2 id="history">Requests</h2>
        <span className="meta">Newest first</span>
      </div>
      <Loaded answer={first} what="The requests">
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty>
              {view.viewer_role === 'buyer'
                ? 'Nothing asked yet. The box above takes the first request.'
                : 'The buyer has asked for nothing yet.'}
            </Empty>
          ) : (
            <>
              <Sheet requests={data} view={view} onAgain={onAgain} />
              {next_cursor === null ? null : <Older cursor={next_cursor} view={view} onAgain={onAgain} />}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function Older({ cursor, view, onAgain }: RequestListProps & { readonly cursor: string }) {
  const [open, setOpen] = useState(false);
  const older = useAnswer('workspaces.listRequests', { id: view.order.id, cursor }, { enabled: open });
  if (!open) return <Button onClick={() => setOpen(true)}>Show older requests</Button>;
  return (
    <Loaded answer={older} what="Older requests">
      {({ data, next_cursor }) => (
        <>
          <Sheet requests={data} view={view} onAgain={onAgain} />
          {next_cursor === null ? null : <Older cursor={next_cursor} view={view} onAgain={onAgain} />}
        </>
      )}
    </Loaded>
  );
}

function Sheet({ requests, view, onAgain }: RequestListProps & { readonly requests: readonly WorkspaceRequest[] }) {
  return (
    <ol className="workspace-sheet">
      {requests.map((request) => (
        <li key={request.request_id} data-status={request.status}>
          <Request request={request} view={view} onAgain={onAgain} />
        </li>
      ))}
    </ol>
  );
}

function Request({ request, view, onAgain }: RequestListProps & { readonly request: WorkspaceRequest }) {
  const waits = request.status === 'pending' || request.status === 'generating';
  return (
    <article>
      <p className="typed workspace-prompt">{request.prompt}</p>
      <p className="meta">
        <Time at={request.created_at} style="list" />, <StateOf request={request} />
      </p>
      {request.deliverables.map((item, index) => (
        <DeliverableItem key={item.id} item={item} number={index + 1} />
      ))}
      {request.error === null ? null : <p className="note">{request.error} It is not counted.</p>}
      {waits && isAllowed(view, 'answer_request') ? <AnswerPanel request={request} view={view} /> : null}
      {!waits && isAllowed(view, 'generate') ? (
        <Button size="small" onClick={() => onAgain(request.prompt)}>
          Ask this again
        </Button>
      ) : null}
    </article>
  );
}

function StateOf({ request }: { readonly request: WorkspaceRequest }) {
  switch (request.status) {
    case 'completed':
      return <>answered</>;
    case 'failed':
      return <>nothing came of it</>;
    case 'generating':
      return <>the agent is being asked now</>;
    case 'pending':
      return request.answer_by === null ? (
        <>waits for the agent</>
      ) : (
        <>
          waits for the agent until <Time at={request.answer_by} />
        </>
      );
  }
}

function AnswerPanel({ request, view }: { readonly request: WorkspaceRequest; readonly view: OrderView }) {
  const [open, setOpen] = useState(false);
  if (!open)
    return (
      <Button kind="primary" onClick={() => setOpen(true)}>
        Answer
      </Button>
    );
  return (
    <Panel title="Your answer" level={3}>
      <DeliverForm order={view.order} requestId={request.request_id} onDone={() => setOpen(false)} />
    </Panel>
  );
}
