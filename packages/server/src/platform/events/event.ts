/** An event before and after it is appended to the log. */
export interface NewEvent {
  /** `agent.registered`, `order.paid`, … */
  readonly type: string;
  /** Id of the record that the event is about. */
  readonly subjectId: string;
  /** Shown to all readers of the event. */
  readonly data: Record<string, unknown>;
  /** The agent concerned. It may read the event and receives it by webhook. */
  readonly agentId?: string;
  /** Further readers besides that agent. */
  readonly readers?: readonly EventReader[];
  /** Private data for code inside the service. */
  readonly context?: Record<string, unknown>;
}

/** The feed of an event. A person reads the feeds of their own identities and of the agents they own. */
export type EventReader = `${'agent' | 'user' | 'wallet' | 'order'}:${string}`;

export interface StoredEvent extends Pick<NewEvent, 'type' | 'subjectId' | 'data'> {
  readonly id: bigint;
  readonly agentId: string | null;
  readonly context: Record<string, unknown>;
  readonly createdAt: Date;
}

/** Writes rows of its own for an event, in the statement that appends the event. */
export interface EventRecorder {
  readonly types: readonly string[];
  /** Name of the column that contains its row in `appended`; unique. */
  readonly name: string;
  /** The recorder's row for the event, passed to its column as jsonb; null for no row. */
  rowOf(event: NewEvent): Record<string, unknown> | null;
  /**
   * Its parts of the WITH clause: `name as (insert …), …`. They read `appended` (`id`, `type`, `agent_id`, `agent_seq`, its own column).
   */
  readonly parts: string;
  /** A query of `channel` and `payload`: the notifications to send on commit. */
  readonly notices: string;
}
