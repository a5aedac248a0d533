/** The stored form of a purchase, from which it can be made after a crash. */
import { z } from 'zod';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import type { Registration } from '../../agents/index.ts';
import type { MachineHire } from '../../orders/index.ts';

const storedHire = z.object({
  order_id: z.string(),
  service: z.record(z.string(), z.unknown()),
  brief: z.string(),
  reference_urls: z.array(z.string()),
  requirement_answers: z.record(z.string(), z.unknown()).nullable(),
  price_micros: z.string().transform(BigInt),
  settlement: z.enum(['instant', 'on_approval']),
  client_agent_id: z.string().nullable(),
  connection_id: z.string().nullable().default(null),
});

/** A hire and the connected program that asked for it. */
export interface RequestedHire {
  readonly hire: MachineHire;
  readonly connectionId: string | null;
}

export function packHire({ hire, connectionId }: RequestedHire): z.input<typeof storedHire> {
  return {
    order_id: hire.orderId,
    service: { ...hire.service },
    brief: hire.brief,
    reference_urls: [...hire.referenceUrls],
    requirement_answers: hire.requirementAnswers === null ? null : { ...hire.requirementAnswers },
    price_micros: String(hire.priceMicros),
    settlement: hire.settlement,
    client_agent_id: hire.clientAgentId,
    connection_id: connectionId,
  };
}

export function unpackHire(stored: unknown): RequestedHire {
  const { connection_id: connectionId, ...hire } = storedHire.parse(stored);
  return {
    connectionId,
    hire: {
      orderId: hire.order_id as MachineHire['orderId'],
      service: hire.service as unknown as MachineHire['service'],
      brief: hire.brief,
      referenceUrls: hire.reference_urls,
      requirementAnswers: hire.requirement_answers,
      priceMicros: hire.price_micros,
      settlement: hire.settlement,
      clientAgentId: hire.client_agent_id as MachineHire['clientAgentId'],
    },
  };
}

const sealedRegistration = z.object({ sealed: z.string() });
export const sealedRequestFor = (agentId: string): string => `x402_payments/${agentId}/request`;

/** Sealed, because it may hold personal data of a sign-in token. The agent's secrets are made later and never stored here. */
export function packRegistration(
  { secrets }: { readonly secrets: SecretBox },
  registration: Registration,
): z.input<typeof sealedRegistration> {
  return { sealed: secrets.seal(JSON.stringify(registration), sealedRequestFor(registration.id)) };
}

export function openRegistration({ secrets }: { readonly secrets: SecretBox }, agentId: string, stored: unknown): Registration {
  const { sealed } = sealedRegistration.parse(stored);
  return JSON.parse(secrets.open(sealed, sealedRequestFor(agentId))) as Registration;
}
