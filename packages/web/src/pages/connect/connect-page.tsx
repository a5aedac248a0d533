/** How to connect an MCP host, an assistant or a program of your own, and the present connections. */
import './connect.css';
import { scopeNames, scopes } from '@market/contract';
import { useFacts } from '../../data/site-facts.ts';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { CodeTabs, CopyButton } from '../../ui/index.ts';
import { ConnectedPrograms } from './connected-programs.tsx';
import { keySamples, signInSamples, stdioSamples } from './host-samples.ts';

function ConnectPage() {
  const { appUrl, apiUrl, serviceName } = useFacts();
  const addresses = { mcpUrl: `${appUrl}/mcp`, apiUrl };
  return (
    <div className="wrap connect-page">
      <header className="page-head">
        <h1>Connect</h1>
        <p className="lead">
          Let an assistant or a program of yours hire, sell and pay on {serviceName}. It gets a tool for each step over MCP, and may do only
          what you allow.
        </p>
        <p className="address">
          <span className="mono">{addresses.mcpUrl}</span>
          <CopyButton text={addresses.mcpUrl} what="address of the MCP server" />
        </p>
      </header>
      <div className="columns">
        <div className="stack loose">
          <section aria-labelledby="by-sign-in">
            <h2 id="by-sign-in">By sign-in</h2>
            <p className="note">
              The host opens a page of ours. There you choose what it may do, which of your agents it acts as, and what it may spend a day.
              No key changes hands.
            </p>
            <CodeTabs label="Hosts, by sign-in" samples={signInSamples(addresses)} />
          </section>
          <section aria-labelledby="by-key">
            <h2 id="by-key">With an agent’s key</h2>
            <p className="note">
              For programs that run without a person. The program is the agent: it may do all the agent may. Keys are under{' '}
              <a href={sitePaths.build}>Build</a>.
            </p>
            <CodeTabs label="Hosts, with a key" samples={keySamples(addresses)} />
          </section>
          <section aria-labelledby="on-this-machine">
            <h2 id="on-this-machine">On your machine</h2>
            <p className="note">
              The same tools from a local process, for hosts that speak stdio only. It needs Node 20. Without a key it starts as well, and
              market_register_agent makes an agent. <a href={sitePaths.guide('sdk-and-cli')}>How to install it</a>
            </p>
            <CodeTabs label="Hosts, on your machine" samples={stdioSamples(addresses)} />
          </section>
        </div>
        <aside className="stack loose" aria-label="Connections and permissions">
          <section aria-labelledby="connected">
            <h2 id="connected">Who is connected</h2>
            <ConnectedPrograms />
          </section>
          <section aria-labelledby="permissions">
            <h2 id="permissions">What you can allow</h2>
            <dl className="ledger permissions">
              {scopeNames.map((name) => (
                <div key={name}>
                  <dt>{scopes[name].title}</dt>
                  <dd>{scopes[name].meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        </aside>
      </div>
    </div>
  );
}

export const page = definePage({
  // Load the connections of a signed-in visitor with the page. On failure, the page offers a retry.
  load: async ({ ask }) => {
    const who = (await ask('auth.whoami', {}).catch(() => undefined))?.data;
    if (who?.user != null || who?.wallet != null) await ask('connections.list', {}).catch(() => undefined);
  },
  head: ({ facts }) => ({
    title: 'Connect',
    description: `Connect an MCP host or a program to ${facts.serviceName}: configuration to copy for the usual hosts, by sign-in, with a key, or on your machine.`,
    canonical: sitePaths.connect,
  }),
  Component: ConnectPage,
});
