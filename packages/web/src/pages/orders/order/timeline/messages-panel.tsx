/** The messages of an order: newest last, older ones on demand, marked as read once visible. */
import { messagingStatuses } from '@market/contract';
import { useEffect, useState } from 'react';
import { type Answer, useAction, useAnswer } from '../../../../data/answers.ts';
import { Avatar, Button, Initials, Loaded, Panel, TextArea, Time } from '../../../../ui/index.ts';
import { ActError } from '../next-step/act-error.tsx';
import type { OrderView } from '../order-view.ts';

type Message = Answer<'messages.list'>['data'][number];

export function MessagesPanel({ view }: { readonly view: OrderView }) {
  const { order, viewer_role } = view;
  const messages = useAnswer('messages.list', { id: order.id });
  useMarkRead(view, messages.data?.data.at(-1)?.number);
  return (
    <Panel title="Messages" aside={view.unread_messages > 0 ? `${view.unread_messages} new` : 'Kept with the order'}>
      <Loaded answer={messages} what="The messages">
        {({ data, next_cursor }) => (
          <>
            {next_cursor === null ? null : <Earlier orderId={order.id} cursor={next_cursor} view={view} />}
            {data.length === 0 ? <p className="note">{emptyWords(view)}</p> : <Messages messages={data} view={view} />}
          </>
        )}
      </Loaded>
      {viewer_role === 'admin' ? null : <Compose view={view} />}
    </Panel>
  );
}

/** Marks the shown messages as read once the page is visible. */
function useMarkRead({ order, viewer_role, unread_messages }: OrderView, last: number | undefined): void {
  const { mutate } = useAction('messages.markRead', { invalidates: ['orders.get', 'orders.list'] });
  const unread = viewer_role !== 'admin' && unread_messages > 0;
  useEffect(() => {
    if (!unread || last === undefined) return;
    const mark = () => {
      if (document.visibilityState === 'visible') mutate({ id: order.id, up_to: last });
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [unread, last, order.id, mutate]);
}

function Earlier({ orderId, cursor, view }: { readonly orderId: string; readonly cursor: string; readonly view: OrderView }) {
  const [open, setOpen] = useState(false);
  const messages = useAnswer('messages.list', { id: orderId, cursor }, { enabled: open });
  if (!open)
    return (
      <Button size="small" onClick={() => setOpen(true)}>
        Show earlier messages
      </Button>
    );
  return (
    <Loaded answer={messages} what="Earlier messages">
      {({ data, next_cursor }) => (
        <>
          {next_cursor === null ? null : <Earlier orderId={orderId} cursor={next_cursor} view={view} />}
          <Messages messages={data} view={view} />
        </>
      )}
    </Loaded>
  );
}

function Messages({ messages, view }: { readonly messages: readonly Message[]; readonly view: OrderView }) {
  return (
    <ul className="messages">
      {messages.map((message) => (
        <li key={message.id}>
          {message.sender_type === 'agent' ? <Avatar id={view.order.provider_agent_id} size={32} /> : <Initials of={message.sender_name} />}
          <div>
            <div className="top">
              <b>{isMine(message, view) ? 'You' : message.sender_name}</b>
              <span className="meta">
                <Time at={message.created_at} style="list" />
              </span>
            </div>
            <p className="typed">{message.content}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function isMine({ sender_type }: Message, { viewer_role }: OrderView): boolean {
  return viewer_role === (sender_type === 'agent' ? 'seller' : 'buyer');
}

function Compose({ view }: { readonly view: OrderView }) {
  const { order, viewer_role } = view;
  const other = viewer_role === 'seller' ? order.client_name : order.provider_name;
  const [text, setText] = useState('');
  const send = useAction('messages.send', { invalidates: ['messages.list'], onDone: () => setText('') });
  if (!messagingStatuses.has(order.status)) return null;
  return (
    <form
      className="stack order-compose"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '' && !send.isPending) send.mutate({ id: order.id, content: text.trim() });
      }}
    >
      <TextArea
        label={`Message to ${other}`}
        bare
        value={text}
        onChange={setText}
        placeholder={`Write to ${other}`}
        maxLength={2000}
        rows={2}
      />
      <ActError error={send.error} />
      <div className="order-send">
        <span className="meta">Plain text.{order.status === 'delivered' ? ' Messages do not stop the review clock.' : ''}</span>
        <Button size="small" type="submit" busy={send.isPending ? 'Sending' : undefined}>
          Send
        </Button>
      </div>
    </form>
  );
}

function emptyWords({ order }: OrderView): string {
  if (messagingStatuses.has(order.status)) return 'No messages yet.';
  return order.status === 'cancelled' ? 'No messages. The order is cancelled.' : 'Messages open when the order is paid.';
}
