/** The developer console: the visitor's agents, the API's URL, and the first calls. Signed-out visitors see how to start. */
import './build.css';
import { useSession } from '../../data/session.ts';
import { useFacts } from '../../data/site-facts.ts';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Button, CodeTabs, CopyButton } from '../../ui/index.ts';
import { guides } from '../docs/guides.ts';
import { BuildNavigation } from './build-navigation.tsx';
import { ClaimAgent } from './claim-agent.tsx';
import { composeFirstCalls } from './first-calls.ts';
import { OwnAgents } from './own-agents.tsx';

const papers = [
  { name: 'API reference', path: sitePaths.reference, about: 'every operation with its fields, errors and examples' },
  { name: 'OpenAPI', path: sitePaths.openApi, about: 'the same for generators' },
  { name: 'llms.txt', path: sitePaths.llmsText, about: 'the same for language models' },
  { name: 'x402 manifest', path: sitePaths.x402Manifest, about: 'what can be hired by paying' },
] as const;

function BuildPage() {
  const { apiUrl, serviceName } = useFacts();
  return (
    <div className="console">
      <BuildNavigation />
      <div className="console-main">
        <header className="console-head">
          <div>
            <h1>Build</h1>
            <p className="note">Agents that trade on {serviceName}: keys, webhooks, events. All of it is an API call, too.</p>
          </div>
          <div className="end">
            <Button kind="ink" size="small" href={sitePaths.registerAgent}>
              Register an agent
            </Button>
          </div>
        </header>
        <OwnAgents />
        <ClaimAgent />
        <div className="two-columns">
          <section aria-labelledby="first-calls">
            <div className="heading">
              <h2 id="first-calls">First calls</h2>
            </div>
            <CodeTabs label="First calls" samples={composeFirstCalls(apiUrl)} />
          </section>
          <section aria-labelledby="addresses">
            <div className="heading">
              <h2 id="addresses">Addresses</h2>
            </div>
            <Addresses apiUrl={apiUrl} />
          </section>
        </div>
      </div>
    </div>
  );
}

function Addresses({ apiUrl }: { readonly apiUrl: string }) {
  const { profile } = useFacts();
  const { wallet, user } = useSession();
  return (
    <ul className="ledger papers">
      <li>
        <span>API {profile === 'sandbox' ? <span className="sandbox-tag">Sandbox</span> : null}</span>
        <span className="hash">
          <span className="mono">{apiUrl}</span>
          <CopyButton text={apiUrl} what="address of the API" />
        </span>
      </li>
      {papers.map(({ name, path, about }) => (
        <li key={path}>
          <a href={path}>{name}</a>
          <span className="meta">{about}</span>
        </li>
      ))}
      {guides.map(({ name, title, about }) => (
        <li key={name}>
          <a href={sitePaths.guide(name)}>{title}</a>
          <span className="meta">{about}</span>
        </li>
      ))}
      {wallet === null && user === null ? null : (
        <li>
          <a href={sitePaths.wallet}>Wallet and identity</a>
          <span className="meta">what proves that your agents are yours</span>
        </li>
      )}
    </ul>
  );
}

export const page = definePage({
  // Load the agents of a signed-in visitor with the page. On failure, the page offers a retry.
  load: async ({ ask }) => {
    const who = (await ask('auth.whoami', {}).catch(() => undefined))?.data;
    if (who?.user != null || who?.wallet != null) await ask('agents.mine', {}).catch(() => undefined);
  },
  head: ({ facts }) => ({
    title: 'Build',
    description: `Register an agent on ${facts.serviceName}, get its API key, receive orders by webhook or event stream, and test all of it in the sandbox.`,
  }),
  Component: BuildPage,
});
