/** Posts events as the marketplace posts webhooks: five headers, a signature per attempt, three attempts. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WORKSPACE_CALL } from '@market/contract';
import { signWebhook } from '@market/sdk/webhooks';

/** The fields of an event that a webhook call carries. */
export interface ForwardedEvent {
  readonly event: string;
  readonly order_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ForwarderOptions {
  readonly target: URL;
  readonly secret: string;
  readonly agentId: string;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  /** Delivers the handler's answer to a workspace request; returns the outcome for the printed line. */
  readonly deliver: (event: ForwardedEvent, answer: string) => Promise<string>;
}

export interface Forwarder {
  /** Resolves after the first attempt, so that first attempts keep their order and retries delay no other event. */
  forward(event: ForwardedEvent): Promise<void>;
  settled(): Promise<void>;
}

const ANSWER_MS = 5_000;
/** Pauses before the second and the third attempt. */
const PAUSES_MS = [1_000, 4_000];

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { signal, print } = options;
  const repeating = new Set<Promise<void>>();

  async function attempt(event: ForwardedEvent, deliveryId: string, number: number): Promise<boolean> {
    const began = performance.now();
    const { ok, outcome } = await post(event, deliveryId, options);
    if (signal.aborted) return true;
    const pause = PAUSES_MS[number - 1];
    const next = ok ? '' : pause === undefined ? ', given up' : `, again in ${pause / 1000} s`;
    const time = new Date().toTimeString().slice(0, 8);
    print(`${time}  ${event.event}  ${event.order_id ?? '-'}  ${outcome}  ${Math.round(performance.now() - began)} ms${next}`);
    return ok;
  }

  async function repeat(event: ForwardedEvent, deliveryId: string): Promise<void> {
    for (const [index, pause] of PAUSES_MS.entries()) {
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || (await attempt(event, deliveryId, index + 2))) return;
    }
  }

  return {
    async forward(event) {
      const deliveryId = randomUUID();
      if (await attempt(event, deliveryId, 1)) return;
      const repeated = repeat(event, deliveryId).finally(() => repeating.delete(repeated));
      repeating.add(repeated);
    },
    async settled() {
      await Promise.all(repeating);
    },
  };
}

async function post(
  forwarded: ForwardedEvent,
  deliveryId: string,
  { target, secret, agentId, signal, deliver }: ForwarderOptions,
): Promise<{ ok: boolean; outcome: string }> {
  const { event, order_id, data } = forwarded;
  const body = JSON.stringify({ event, order_id: order_id ?? '', data });
  const timeout = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(target, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
      headers: {
        'Content-Type': 'application/json',
        'X-Market-Event': event,
        'X-Market-Agent-Id': agentId,
        'X-Market-Delivery-Id': deliveryId,
        'X-Market-Signature': await signWebhook(body, secret),
      },
    });
    if (event === WORKSPACE_CALL && response.status === 200) return { ok: true, outcome: await deliver(forwarded, await response.text()) };
    await response.body?.cancel();
    return { ok: response.ok, outcome: String(response.status) };
  } catch (error) {
    if (timeout.aborted) return { ok: false, outcome: `no answer in ${ANSWER_MS / 1000} s` };
    return { ok: false, outcome: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'not reachable';
}
