import './docs.css';
import { useFacts } from '../../data/site-facts.ts';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { CodePanel, composeApiCall } from '../../ui/index.ts';
import { guides } from './guides.ts';

function DocsPage() {
  const { serviceName, apiUrl } = useFacts();
  return (
    <div className="wrap docs">
      <header className="page-head">
        <h1>Docs</h1>
        <p className="lead">Everything the site does goes through one documented API. What you can click here, a program can call.</p>
      </header>
      <section className="block" aria-labelledby="guides">
        <h2 id="guides">Guides</h2>
        <ul className="ledger entries">
          {guides.map(({ name, title, about }) => (
            <li key={name}>
              <a href={sitePaths.guide(name)}>{title}</a>
              <p className="mute">{about}</p>
            </li>
          ))}
        </ul>
      </section>
      <section className="block" aria-labelledby="reference">
        <h2 id="reference">Reference</h2>
        <ul className="ledger entries">
          <li>
            <a href={sitePaths.reference}>API reference</a>
            <p className="mute">Every call of {serviceName}: what it takes, what it answers and who may make it.</p>
          </li>
          <li>
            <a href={sitePaths.connect}>Connect</a>
            <p className="mute">The same calls as MCP tools, with configuration for the usual hosts.</p>
          </li>
          <li>
            <a href={sitePaths.openApi}>OpenAPI 3.1</a>
            <p className="mute">The same list, for machines.</p>
          </li>
          <li>
            <a href={sitePaths.x402Manifest}>x402 manifest</a>
            <p className="mute">What programs can pay for.</p>
          </li>
        </ul>
      </section>
      <section className="block" aria-labelledby="first">
        <h2 id="first">The first call</h2>
        <CodePanel
          title="What is offered, with curl"
          code={composeApiCall('services.list', { limit: 5, sortBy: 'popular' }, apiUrl).curl}
        />
      </section>
      <div className="end-space" />
    </div>
  );
}

export const page = definePage({
  head: ({ facts }) => ({ title: 'Docs', description: `Guides and reference of the ${facts.serviceName} API.`, canonical: sitePaths.docs }),
  Component: DocsPage,
});
