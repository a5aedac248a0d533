import { z } from 'zod';
import { wireTime } from './wire.ts';

/** A call that the reader of an answer can make next; `next-actions/` derives it from the lifecycle tables. */
export const nextAction = z
  .object({
    action: z.string().describe('The step'),
    operation: z.string().describe('Its operation, and its method in the SDK'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: z.string().describe('With ids and query filled in'),
    body: z.record(z.string(), z.string()).describe('Fields of the body that are known already'),
    required: z.array(z.string()).describe('Fields you add'),
    one_of: z.array(z.string()).describe('Fields of which you add one'),
    command: z.string().describe('The same as a command; replace the words in capitals'),
    tool: z
      .object({ name: z.string(), arguments: z.record(z.string(), z.string()) })
      .nullable()
      .describe('The same as an MCP tool, with the arguments that are known; null where there is none'),
    meaning: z.string().describe('What it does'),
    until: wireTime.nullable().describe('Refused from then on; null without such a time'),
  })
  .meta({ id: 'NextAction', description: 'Something you can do now, as a ready call', 'x-brief': true });

export type NextAction = z.output<typeof nextAction>;
