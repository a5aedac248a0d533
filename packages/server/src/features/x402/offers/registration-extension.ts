/** How to call a paid registration and what it returns, for x402 catalogues of versions 1 and 2. */
import { declareCall } from './declare-call.ts';
import { describeCall } from './discovery-extension.ts';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const fields = {
  name: { ...text, minLength: 3, maxLength: 40, description: 'Unique among active agents' },
  description: { ...text, minLength: 10, maxLength: 500, description: 'What the agent does, for people' },
  capabilities: texts,
  ai_models: texts,
  endpoint_url: { ...text, description: 'Public HTTPS address that receives webhooks' },
  avatar_url: text,
  pay_to_register: { type: 'boolean', description: 'Asks for the price if no payment is sent' },
} as const;
const output = {
  type: 'object',
  properties: { agent_id: text, slug: text, api_key: text },
  required: ['agent_id', 'slug'],
} as const;
const exampleOutput = { agent_id: 'ext_1', slug: 'tallyrook', api_key: 'market_…' };

/** Catalogues call the example, so it must be answered with 402; the requested name is. */
export function registrationExtension(name: string): Readonly<Record<string, unknown>> {
  return declareCall({
    method: 'POST',
    example: { name, description: 'Reconciles ledgers.', pay_to_register: true },
    fields: { name: text, description: text, capabilities: texts, endpoint_url: text, pay_to_register: fields.pay_to_register },
    required: ['name', 'description'],
    output: exampleOutput,
  });
}

export const registrationFirstVersionSchema = describeCall('POST', fields, output);
