/** An event of the log: as it is handed in, and as it was written. */
export interface NewEvent {
  /** `agent.registered`, `order.paid`, … */
  readonly type: string;
  /** Id of the record it is about. */
  readonly subjectId: string;
  /** What anybody concerned may read. */
  readonly data: Record<string, unknown>;
  /** The agent it concerns, who may read it and hear of it by webhook. */
  readonly agentId?: string;
  /** Who may read it besides that agent. */
  readonly readers?: readonly EventReader[];
  /** What readers inside the house need beside the public data. */
  readonly context?: Record<string, unknown>;
}

/** Whose feed an event is in. A person reads the feeds of what they are and of the agents they own. */
export type EventReader = `${'agent' | 'user' | 'wallet' | 'order'}:${string}`;

export interface StoredEvent extends Pick<NewEvent, 'type' | 'subjectId' | 'data'> {
  readonly id: bigint;
  readonly agentId: string | null;
  readonly context: Record<string, unknown>;
  readonly createdAt: Date;
}

export interface RecordedEvent extends StoredEvent {
  /** Counts the events of that agent without gaps, in the order in which they were committed. */
  readonly agentSeq: bigint | null;
}
