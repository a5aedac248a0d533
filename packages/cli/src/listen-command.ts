/** `market listen`: an agent's webhooks on a machine that the marketplace cannot reach. */
import { createHmac } from 'node:crypto';
import { type FieldReference, PING_EVENT, WORKSPACE_CALL, webhookEvents } from '@market/contract';
import { type ClientOptions, createMarketClient } from '@market/sdk';
import { type Command, type Terminal, UsageError } from './command.ts';
import { createForwarder } from './listen-forward.ts';
import { asWorkspaceCall, deliverAnswer, REQUEST_EVENT } from './listen-workspace.ts';
import { parseFlags } from './parse-flags.ts';
import { clientOptions } from './settings.ts';
import { nearestOf } from './spelling.ts';

const FORWARDED = [...Object.keys(webhookEvents), WORKSPACE_CALL, PING_EVENT];

const HELP = `market listen --forward <address> [--events <names>] [--after <seq>]

Sends the events of an agent to your own address as webhooks, signed like the real ones: your handler
runs on this machine while the agent trades. The marketplace does not have to reach this machine. The
command fetches the events, reconnects when the connection breaks, and loses none.

  --forward <address>   Where to post each event, for example http://localhost:3000/hook
  --print               Print each event as one line of JSON instead; all events, not only webhooks
  --events <names>      Only these, separated by commas
  --after <seq>         Begin after this event instead of now; 0 is the very beginning
  --api-key <key>       The agent's key; else MARKET_API_KEY
  --url <address>       The service; else MARKET_BASE_URL or MARKET_URL, else http://127.0.0.1:4020

Calls are signed with the agent's webhook_secret. Without one, the command derives a secret from the
agent's key and prints it: the same in every run, until the key changes. As in production, a call
succeeds with a 2xx within 5 seconds, and is repeated after 1 and after 4 seconds. Forwarded: ${FORWARDED.join(', ')}.
Ctrl-C ends it.`;

const flag = (name: string, kind: 'string' | 'boolean'): FieldReference => ({
  name,
  in: 'query',
  type: kind,
  kind,
  itemKind: kind,
  nullable: false,
  required: false,
  description: '',
});
const FLAGS = [flag('forward', 'string'), flag('events', 'string'), flag('after', 'string'), flag('print', 'boolean')];

interface ListenOptions {
  readonly target: URL | undefined;
  readonly types: readonly string[] | undefined;
  readonly after: string | undefined;
  readonly client: ClientOptions;
}

export const listenCommand: Command = {
  summary: "Get an agent's webhooks on this machine",
  help: () => HELP,
  async run(args, terminal) {
    const options = readListenOptions(args, terminal);
    const signal = terminal.interruption();
    const market = createMarketClient(options.client);
    const { data: agent } = await market.agents.me({}, { signal });
    const types =
      options.target === undefined
        ? options.types
        : (options.types ?? FORWARDED).map((type) => (type === WORKSPACE_CALL ? REQUEST_EVENT : type));
    const events = market.events.stream(
      { ...(options.after !== undefined && { after: options.after }), ...(types !== undefined && { types: types.join(',') }) },
      { signal },
    );
    if (options.target === undefined) {
      for await (const event of events) terminal.print(JSON.stringify(event));
      return;
    }
    const secret = agent.webhook_secret ?? secretOfKey(agent.id, options.client.apiKey ?? '', terminal);
    terminal.complain(`Listening for ${agent.name}; forwarding to ${options.target}. Ctrl-C ends it.`);
    const forwarder = createForwarder({
      target: options.target,
      secret,
      agentId: agent.id,
      print: terminal.print,
      signal,
      deliver: (event, answer) => deliverAnswer(market, event, answer),
    });
    for await (const event of events) {
      // The feed also has events of the agent as buyer, which webhooks do not send.
      if (event.agent_id !== agent.id) continue;
      // For workspace requests, the marketplace itself calls the agent's endpoint.
      if (event.event === REQUEST_EVENT && agent.endpoint_url !== null) continue;
      await forwarder.forward(event.event === REQUEST_EVENT ? await asWorkspaceCall(market, event, signal) : event);
    }
    await forwarder.settled();
  },
};

function readListenOptions(args: readonly string[], terminal: Terminal): ListenOptions {
  const { fields, settings } = parseFlags(FLAGS, args);
  const { forward, events, after, print } = fields;
  if (forward === undefined && print !== true) throw new UsageError('Say what to do with events: --forward <address> or --print.');
  if (forward !== undefined && print === true) throw new UsageError('Choose one: --forward or --print.');
  const client = clientOptions(settings, terminal.env);
  if (client.apiKey === undefined) throw new UsageError("listen needs an agent's key: --api-key or MARKET_API_KEY.");
  return {
    target: forward === undefined ? undefined : readTarget(String(forward)),
    types: events === undefined ? undefined : readTypes(String(events), forward !== undefined),
    after: after === undefined ? undefined : String(after),
    client,
  };
}

function readTarget(forward: string): URL {
  // Node 20 lacks URL.parse.
  const target = URL.canParse(forward) ? new URL(forward) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new UsageError(`--forward needs an address such as http://localhost:3000/hook, not "${forward}".`);
  return target;
}

function readTypes(events: string, forwarded: boolean): readonly string[] {
  const types = events.split(',').map((type) => type.trim());
  const unknown = types.find((type) => forwarded && !FORWARDED.includes(type));
  if (unknown === undefined) return types;
  const nearest = nearestOf(unknown, FORWARDED);
  throw new UsageError(
    `No webhook is sent for "${unknown}". ${nearest === undefined ? 'See market listen --help.' : `Did you mean "${nearest}"?`}`,
  );
}

/** Derives the secret from the key by HMAC: the handler keeps its secret between runs, and the secret does not reveal the key. */
function secretOfKey(agentId: string, apiKey: string, terminal: Terminal): string {
  const secret = `whsec_${createHmac('sha256', apiKey).update(`market listen:${agentId}`).digest('hex')}`;
  terminal.complain(`The agent has no webhook_secret yet. Calls are signed with ${secret}, in each run until the key changes.`);
  return secret;
}
