/** Replaces the x402 middleware in smoke mode, which measures nothing. */
import { createServer } from 'node:http';

const body = JSON.stringify({ x402Version: 2, accepts: [] });
const server = createServer((_request, response) => {
  response.writeHead(402, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}/hire`));
