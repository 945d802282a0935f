package scope

// Shape is one kind of name that is closed because of what such files hold. The guide's table of closed names can be
// generated from [Shapes].
//
// Names are patterns of four forms. All are compared without regard to case, and with the whole of a component, so that
// a word inside a name closes nothing:
//
//	name        the last component; a * stands for any text
//	*.ext       the last component ends so, with something before it
//	dir/name    the last component, in a folder (or below folders) of that name
//	dir/**      everything below a folder of that name, at any depth
//
// Marks of backups and editors (.bak, ~, .swp, #name#) are taken off a name before it is compared.
type Shape struct {
	ID     string   // stable, for the policy hash and for people: env, private-key, ...
	Names  []string // the patterns
	What   string   // what the file is, to follow "it is"
	Except string   // names of this look that stay open, as a sentence; empty where there are none
	Why    string   // why this shape is closed, one sentence
	Closed []string // examples that it closes
	Open   []string // near misses that it leaves open
}

// Shapes returns the table of closed names, in its published order. The caller owns it.
func Shapes() []Shape {
	out := make([]Shape, len(shapes))
	for i, s := range shapes {
		s.Names = append([]string(nil), s.Names...)
		s.Closed = append([]string(nil), s.Closed...)
		s.Open = append([]string(nil), s.Open...)
		out[i] = s
	}
	return out
}

var shapes = []Shape{
	{
		ID:     "env",
		Names:  []string{".env", ".env.*", ".env-*", ".env_*", "*.env", ".dev.vars", ".dev.vars.*"},
		What:   "a file of environment variables, which holds passwords and tokens",
		Except: "Where the last word is example, sample, template, tmpl, dist, defaults, default or schema, or the file is source code. So is .envrc, which is a program.",
		Why:    "The usual place of a project's passwords, and usually not in git.",
		Closed: []string{".env", ".env.local", ".env.production", ".ENV", "app/.env", ".env.local.bak", ".env~", ".env-prod", "prod.env", ".dev.vars", ".env.example.local", ".env.", ".env::$DATA", ".e\u200cnv"},
		Open:   []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.local.example", ".dev.vars.example", "example.env", "env.go", ".envrc", "env", "environment.ts", "src/env.d.ts", ".env.d.ts", ".env/lib/python3/site.py", "dotenv.md", "dev.vars"},
	},
	{
		ID:     "private-key",
		Names:  []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*.pem", "*.key", "*.ppk", "*.p8"},
		What:   "a private key",
		Except: "Where a word of the name says that it is public: pub or public; in a *.pem also cert, certificate, crt, ca, chain, bundle and their like, unless another word says key or private.",
		Why:    "A key that leaks must be replaced everywhere it was used.",
		Closed: []string{"id_rsa", "id_ed25519", "keys/ID_RSA", "id_rsa_github", "id_rsa.bak", "server.pem", "privkey.pem", "cert-key.pem", "server.key", "ca.key", "cert.key", "ca-key.pem", "config/master.key", "AuthKey_AB12.p8", "me.ppk"},
		Open:   []string{"id_rsa.pub", "id_ed25519.pub", "id_rsa.go", "cert.pem", "fullchain.pem", "testdata/ca.pem", "cacert.pem", "public.key", "server.crt", "key.go", "keys.ts", "pem.go", "api_key.py", ".pem", "hot.keys"},
	},
	{
		ID:     "keystore",
		Names:  []string{"*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.kdbx", "*.kdb", "*.keytab", "wallet.dat"},
		What:   "a store of keys or passwords",
		Why:    "A locked box of secrets; an agent has no use for its bytes.",
		Closed: []string{"release.keystore", "a.p12", "A.PFX", "vault.kdbx", "http.keytab"},
		Open:   []string{"keystore.go", "keystore", "jks.md", "wallet.ts"},
	},
	{
		ID:     "ssh",
		Names:  []string{".ssh/**"},
		What:   "in the folder of SSH keys",
		Except: "Public halves, named *.pub.",
		Why:    "Keys, and files that decide who may log in.",
		Closed: []string{".ssh/config", ".ssh/authorized_keys", "home/.SSH/deploy", ".ssh/keys/a"},
		Open:   []string{".ssh/a.pub", "ssh/config", "internal/ssh/keys.go"},
	},
	{
		ID:     "keyring",
		Names:  []string{".gnupg/**", ".password-store/**", "secring.gpg"},
		What:   "part of a keyring",
		Why:    "Private keys and passwords of a person.",
		Closed: []string{".gnupg/private-keys-v1.d/x", ".password-store/mail.gpg", "secring.gpg"},
		Open:   []string{"gnupg.go", "release.asc", "pubring.gpg"},
	},
	{
		ID: "login",
		Names: []string{".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf",
			".htpasswd", ".s3cfg", ".boto", ".vault-token", ".vault_pass", ".vault_password", ".dockercfg", ".dockerconfigjson",
			".docker/config.json", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/gh/hosts.yml",
			"rclone.conf", ".terraform.d/credentials.tfrc.json", ".m2/settings-security.xml"},
		What:   "a file of log-in data of a tool",
		Except: "Settings of tools that belong to the repository and merely can hold a token: .npmrc, .yarnrc.yml, .cargo/config.toml, .gitconfig.",
		Why:    "Its only purpose is to hold a password or token.",
		Closed: []string{".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass", ".htpasswd", ".docker/config.json", "home/.docker/config.json", ".cargo/credentials.toml",
			".config/gh/hosts.yml", ".netrc.bak"},
		Open: []string{"netrc.go", ".npmrc", ".yarnrc.yml", "docker/config.json", "config.json", "credentials_test.py", "htpasswd.c", "hosts.yml", ".gitconfig", ".cargo/config.toml"},
	},
	{
		ID: "cloud",
		Names: []string{".aws/credentials", ".aws/sso/**", ".aws/cli/**", ".config/gcloud/**", ".azure/accesstokens.json", ".azure/msal_token_cache.json", ".azure/msal_token_cache.bin",
			".kube/config", "kubeconfig", "kubeconfig.yaml", "kubeconfig.yml", "kubeconfig.json", "*.kubeconfig", "application_default_credentials.json",
			"service-account.json", "service_account.json", "serviceaccount.json", "serviceaccountkey.json", "service-account-key.json", "service_account_key.json",
			"gcp-key.json", "client_secret.json", "client_secret_*.json", "*-firebase-adminsdk-*.json", "credentials.json", "credentials.csv"},
		What: "a key of a cloud account",
		Why:  "Whoever has it acts as the account.",
		Closed: []string{".aws/credentials", "home/.aws/credentials", ".kube/config", "kubeconfig", "prod.kubeconfig", "service-account.json", "serviceAccountKey.json",
			"client_secret_1-a.apps.googleusercontent.com.json", "shop-firebase-adminsdk-x1-ab.json", "credentials.json", ".config/gcloud/access_tokens.db"},
		Open: []string{"aws/credentials.go", "credentials", ".aws/task-definition.json", ".aws/config", "credentials.go", "credentials.ts", "credentials_test.py", "kube/config.go",
			"kubeconfig.go", "service_account.py", "service-account.yaml", "token.json", "token.ts"},
	},
	{
		ID:     "secrets-file",
		Names:  []string{"secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.ini", "secrets.properties", "secrets.txt", ".secrets", ".secret", ".secrets/**"},
		What:   "a file of secrets",
		Except: "In a folder named templates, where it is a form and not a value.",
		Why:    "Its whole name says what it holds, and it is data, not code.",
		Closed: []string{"secrets.yml", "config/secrets.yml", ".streamlit/secrets.toml", ".secrets", "Secrets.JSON", ".secrets/db"},
		Open:   []string{"secrets.go", "secret.py", "secret.yaml", "my-secrets.yml", "secrets/index.ts", "chart/templates/secrets.yaml", "docs/secrets.md", "secrets.enc.yaml", "top_secret.md", ".secrets.baseline"},
	},
	{
		ID:     "agent-login",
		Names:  []string{".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json"},
		What:   "the log-in data of an agent",
		Why:    "An agent must not hand its own account to a model or a log.",
		Closed: []string{".claude/.credentials.json", ".codex/auth.json"},
		Open:   []string{".claude/settings.json", "auth.json", ".codex/config.toml"},
	},
	{
		ID:     "state-with-secrets",
		Names:  []string{"*.tfstate", "*.tfstate.backup", "*.ovpn"},
		What:   "generated state that holds secrets in clear text",
		Why:    "Terraform keeps passwords of databases and keys in its state as they are; VPN profiles hold the key.",
		Closed: []string{"terraform.tfstate", "env/prod.tfstate.backup", "office.ovpn"},
		Open:   []string{"main.tf", "terraform.tfvars", "tfstate.go"},
	},
	{
		ID:     "history",
		Names:  []string{".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".rediscli_history", ".node_repl_history"},
		What:   "a history of typed commands",
		Why:    "People type passwords into commands.",
		Closed: []string{".bash_history", ".psql_history"},
		Open:   []string{"history.go", "HISTORY.md"},
	},
}

// templateWords mark an env file as a form to fill in.
var templateWords = []string{"example", "sample", "template", "tmpl", "dist", "default", "defaults", "schema"}

// codeWords are endings that make an env-shaped name source code.
var codeWords = []string{"ts", "js", "mjs", "cjs", "go", "py", "rb", "rs", "md"}

// publicWords mark key material as made to be published: the first two at any ending, the others in a .pem.
var publicWords = []string{"pub", "public", "cert", "certs", "certificate", "certificates", "crt", "ca", "cacert", "cacerts", "chain", "fullchain", "bundle", "root", "roots", "csr", "dhparam", "dhparams"}

// privateWords overrule publicWords.
var privateWords = []string{"key", "keys", "priv", "private", "privkey"}

// backupEndings are taken off a name before it is compared.
var backupEndings = []string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp"}
