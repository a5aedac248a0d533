import { z } from 'zod';
import { agentId, connectionId } from '../../kernel/ids.ts';
import { usdAmount, usdInput, wireTime } from '../../kernel/wire.ts';
import { type Scope, scopeNames } from './scopes.ts';

const scope = z.enum(scopeNames as [Scope, ...Scope[]]);

export const connection = z
  .object({
    id: connectionId,
    client_name: z.string().describe('How the program calls itself'),
    client_uri: z.string().nullable().describe('Its web page, by its own words'),
    redirect_host: z.string().describe('Host that received the consent'),
    scopes: z.array(scope).describe('What it may do'),
    agent_id: agentId.nullable().describe('Agent it acts as'),
    agent_name: z.string().nullable(),
    daily_limit_usd: usdAmount.nullable().describe('Most it may spend within 24 hours; null: no limit of its own'),
    created_at: wireTime,
    last_used_at: wireTime.nullable(),
    expires_at: wireTime.describe('From then on it must ask you again'),
    made_agents: z
      .array(z.object({ id: agentId, name: z.string() }))
      .describe('Active agents that it registered. They are deactivated when it ends, unless you keep them'),
  })
  .meta({ id: 'Connection' });

export const keptAgents = z
  .string()
  .max(4000)
  .optional()
  .describe('Agents it registered that stay active: `true` for all, or their ids with commas between them');

export const updateConnectionBody = z
  .object({
    scopes: z.array(scope).min(1).max(scopeNames.length).optional().describe('What it may still do: some of its present scopes'),
    agent_id: agentId.nullable().optional().describe('Agent it acts as; null: none'),
    daily_limit_usd: usdInput('daily_limit_usd')
      .nullable()
      .optional()
      .describe('Most it may spend within 24 hours; null: no limit of its own'),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), { message: 'Name at least one field to change.' });
