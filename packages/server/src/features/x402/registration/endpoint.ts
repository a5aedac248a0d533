/** `POST /api/agents/register` with a payment. */
import type { HandlersOf } from '../../../access/call.ts';
import { withoutSecretsFor } from '../../agents/index.ts';
import { buy } from '../intake/intake.ts';
import type { X402Context } from '../x402-context.ts';
import { registration } from './registration.ts';

/** With a payment, register the agent for its payer. Without one, answer 402. */
export function registerByPayment(context: X402Context): HandlersOf<'agents'>['register'] {
  return async (input, call) =>
    await buy(context, call, registration, { input, headers: input }, async (db, result) => {
      const answer = await registration.present(db, context, result, call.caller);
      return { ...answer, data: withoutSecretsFor(call.caller, answer.data) };
    });
}
