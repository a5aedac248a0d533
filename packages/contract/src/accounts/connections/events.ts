/** The public data of events about connected programs. Only the person reads them. */
import { z } from 'zod';

export const connectionEvents = {
  'connection.made': z.object({
    connection_id: z.string(),
    client_name: z.string(),
    redirect_host: z.string(),
    scopes: z.array(z.string()),
    agent_id: z.string().nullable(),
  }),
  'connection.revoked': z.object({
    connection_id: z.string(),
    client_name: z.string(),
    reason: z.enum(['person', 'program', 'misuse', 'replaced', 'expired']),
    /** Names of the agents that the end of the connection stopped. Absent in older events. */
    stopped_agents: z.array(z.string()).optional(),
  }),
} as const;

export type ConnectionEventType = keyof typeof connectionEvents;
export type ConnectionEventData = { [T in ConnectionEventType]: z.output<(typeof connectionEvents)[T]> };
