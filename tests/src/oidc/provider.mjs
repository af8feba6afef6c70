// A certified OpenID provider, as an operator would run one, with people and keys that the tests choose.
//
// Started as `node provider.mjs PORT CALLBACK CLIENT_SECRET MODULES`. Whoever signs in is who the
// query of the authorization request names: `login_hint` holds the account as JSON, so that no page has to be filled in.
import http from 'node:http';
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { pathToFileURL } from 'node:url';

const [port, callback, secret, modules] = process.argv.slice(2);
const { default: Provider } = await import(pathToFileURL(`${modules}/oidc-provider/lib/index.js`).href);
const issuer = `http://127.0.0.1:${port}`;

const newKey = () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' };
};

const accounts = new Map();

// A provider of this kind issues tokens to no other client than the one that asks. Others do, so the claim is written afterwards.
const issuedTo = (token, key) => {
    const [head, body] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url'));
    const { azp } = accounts.get(claims.sub) ?? {};
    if (azp === undefined) {
        return token;
    }
    const text = `${head}.${Buffer.from(JSON.stringify({ ...claims, azp })).toString('base64url')}`;
    const signature = sign('sha256', Buffer.from(text), createPrivateKey({ key, format: 'jwk' }));
    return `${text}.${signature.toString('base64url')}`;
};

const make = (key) => {
    const provider = new Provider(issuer, {
        clients: [{ client_id: 'muster', client_secret: secret, redirect_uris: [callback] }],
        jwks: { keys: [key] },
        cookies: { keys: [randomUUID()] },
        pkce: { required: () => true },
        conformIdTokenClaims: false,
        claims: { openid: ['sub', 'roles'], email: ['email', 'email_verified'] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
        findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...accounts.get(sub) }) }),
        renderError: (ctx, out) => {
            ctx.type = 'text';
            ctx.body = JSON.stringify(out);
        },
    });
    provider.use(async (ctx, next) => {
        await next();
        if (ctx.path === '/token' && ctx.body?.id_token) {
            ctx.body.id_token = issuedTo(ctx.body.id_token, key);
        }
    });
    return provider;
};

let provider = make(newKey());
let answer = provider.callback();

let delay = 0;

const server = http.createServer(async (request, response) => {
    if (request.url.startsWith('/test/slow?')) {
        delay = Number(request.url.split('?')[1]);
        response.end('slow');
        return;
    }
    if (request.url === '/token' && delay > 0) {
        await new Promise((resolve) => setTimeout(resolve, delay));
    }
    if (request.url === '/test/rotate') {
        provider = make(newKey());
        answer = provider.callback();
        response.end('rotated');
        return;
    }
    if (request.url.startsWith('/interaction/')) {
        await interact(request, response).catch((error) => {
            response.statusCode = 500;
            response.end(String(error));
        });
        return;
    }
    answer(request, response);
});

async function interact(request, response) {
    const { prompt, params, grantId } = await provider.interactionDetails(request, response);
    const { sub, ...claims } = JSON.parse(params.login_hint);
    accounts.set(sub, claims);
    let result = { login: { accountId: sub } };
    if (prompt.name === 'consent') {
        const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({ accountId: sub, clientId: 'muster' });
        grant.addOIDCScope('openid email');
        result = { consent: { grantId: await grant.save() } };
    }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

server.listen(Number(port), '127.0.0.1');
