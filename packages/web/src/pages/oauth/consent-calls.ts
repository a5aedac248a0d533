/** Calls of the consent page. They belong to the authorization server, not to the API. */
import type { Scope } from '@market/contract';

export interface ConsentDetails {
  /** The name that the program gave itself. */
  readonly client_name: string;
  readonly client_uri: string | null;
  readonly redirect_host: string;
  readonly is_on_this_computer: boolean;
  readonly published_by: string | null;
  /** The signed-in person. */
  readonly person: string;
  readonly scopes: readonly { readonly name: string; readonly title: string; readonly meaning: string; readonly asked: boolean }[];
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly takes_limit: boolean;
  /** The program's present connection. */
  readonly earlier: {
    readonly connected_at: string;
    readonly scopes: readonly Scope[];
    readonly agent_id: string | null;
    readonly daily_limit_usd: string | null;
    /** True if a new consent ends the earlier connection. */
    readonly is_replaced: boolean;
  } | null;
  readonly proof: string;
}

export type ConsentDecision =
  | { readonly proof: string; readonly allow: false }
  | {
      readonly proof: string;
      readonly allow: true;
      readonly scopes: readonly string[];
      readonly agent_id: string | null;
      readonly daily_limit_usd: string | null;
    };

export async function readConsent(uid: string, signal?: AbortSignal): Promise<ConsentDetails> {
  return await ask<ConsentDetails>(uid, 'details', signal === undefined ? {} : { signal });
}

/** Returns the URL where the browser continues. */
export async function sendDecision(uid: string, decision: ConsentDecision): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const { location } = await ask<{ location: string }>(uid, 'decision', { method: 'POST', headers, body: JSON.stringify(decision) });
  return location;
}

async function ask<T>(uid: string, what: string, init: RequestInit): Promise<T> {
  const response = await fetch(`/oauth/consent/${encodeURIComponent(uid)}/${what}`, init);
  const answer = (await response.json()) as { readonly data: T; readonly error?: string };
  if (!response.ok) throw new Error(answer.error ?? 'The service could not answer.');
  return answer.data;
}
