package synth

// english is the start of the vocabulary, the most frequent word first: words that
// victims of fraud write. By wordDistribution, the first is in nearly every report,
// the tenth in half of them, the hundredth in one of twenty, the last in one of
// seventy.
const english = `
the to and i my a of was wallet they in it
that me from scam for on funds with token money is sent
address website were had you this site claim fake them but be
all transaction he airdrop at as not so approved drained when account
by contract she an after have then support crypto asked phishing link
platform their transferred out said no stolen victim usdt ethereum signed tokens
if or investment are withdraw telegram connected scammer deposit into we up
trading minutes back exchange which team project page never told liquidity rug
pull clicked fee discord approval malicious one same balance emptied group within
contact invested before would more been has can hours who discovered hacker
message through now two only us official promised received days time pay
twitter reported another coins impersonating staking used your until bridge swap romance
lost immediately name profit could because eth bitcoin also over asset again
first him blocked nft mint online her there later several met found
returns tax requested new like weeks unable drainer some any customer device
stole app unknown poisoned similar did copied will private saw whatsapp about
month than drain verified hidden ransom deleted domain permission owner pool unlimited
fraud today attacker identity mixer off even broker its still company server
cloned laundered facebook email code browser extension value how dashboard please both
agent just shows frozen investor down every allowance paid disappeared legitimate police
worth people warned dollars launch moved search presale phone popup community around
while advertisement instead recovery gas shared stranger security advised withdrawal must called
thousand between dating looked refused malware history developer manager what signature tried
vanished anyone thought savings real large guaranteed promise installed multiple once friend
against fraudulent imposter three trusted compromised evidence demanded daily employee ledger upgrade
`
